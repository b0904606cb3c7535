/**
 * One page of a list, and the place where the next one begins. A place is named by what stands there, not by a
 * count, so that what comes in front while somebody turns pages is neither shown twice nor pushes anything out.
 *
 * What a list is ordered by is its store's; a place is opaque to everybody else.
 */
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The last item of a page: what its list is ordered by, and its id. */
export const Cursor = Schema.Struct({ at: Schema.Number, id: Schema.String })
export type Cursor = typeof Cursor.Type

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** Where the next page begins; null: this was the last. */
  readonly next: Cursor | null
}

export interface PageRequest {
  /** At least 1. Absent: all there is. */
  readonly limit?: number
  /** `next` of the page before. */
  readonly cursor?: Cursor
}

const Text = Schema.StringFromBase64Url.pipe(Schema.decodeTo(Schema.fromJsonString(Cursor)))
const encode = Schema.encodeSync(Text)
const decode = Schema.decodeUnknownOption(Text)

/** As it can stand in an address and on a command line. */
export const cursorText = (cursor: Cursor): string => encode(cursor)

/** None: this text came from no page. */
export const parseCursor = (text: string): Option.Option<Cursor> => decode(text)

/** How many items to read for a page: one more than it shows tells whether another follows. */
export const toRead = ({ limit }: PageRequest): number =>
  limit === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(limit)) + 1

/** The page of items that were read from its place on, `toRead` of them at most. */
export const make = <A>(
  read: ReadonlyArray<A>,
  request: PageRequest,
  cursorOf: (item: A) => Cursor
): Page<A> => {
  const items = read.slice(0, Math.min(read.length, toRead(request) - 1))
  const last = items.at(-1)
  return { items, next: last === undefined || items.length === read.length ? null : cursorOf(last) }
}
