/**
 * The shape of what mends a provider's stream before the AI SDK reads it: a pure fold over the data of its events. One
 * file a wire (`ChatStream`, `AnthropicStream`, `ResponsesStream`, `GoogleStream`); bytes are `SseBody`'s.
 */

interface Folded<S> {
  readonly state: S
  /** What the SDK sees in place of this event. */
  readonly pass: ReadonlyArray<string>
  /** The reply is at its end: nothing after it is waited for. */
  readonly ended: boolean
}

export interface WireFold<S> {
  readonly initial: S
  /** @param data of one event, as it was sent */
  readonly step: (state: S, data: string) => Folded<S>
  /**
   * When nothing more comes, be it that the source ended or that it broke off: what a reply that is whole still lacks,
   * or null for one that is not whole.
   */
  readonly end: (state: S) => ReadonlyArray<string> | null
}
