/** The places of the greatest scores, without sorting all of them. Pure. */

/**
 * Places of the `limit` greatest scores above 0, greatest first; equal ones in the order they stand in.
 * A heap of `limit` places with the worst on top.
 */
export const topScores = (scores: Float64Array, limit: number): ReadonlyArray<number> => {
  const heap: Array<number> = []
  const scoreAt = (place: number) => scores[place] ?? 0
  const worse = (left: number, right: number) =>
    scoreAt(left) < scoreAt(right) || (scoreAt(left) === scoreAt(right) && left > right)
  const swap = (left: number, right: number) => {
    const held = heap[left] ?? 0
    heap[left] = heap[right] ?? 0
    heap[right] = held
  }
  const rise = (at: number) => {
    for (let child = at; child > 0; ) {
      const parent = (child - 1) >> 1
      if (!worse(heap[child] ?? 0, heap[parent] ?? 0)) return
      swap(child, parent)
      child = parent
    }
  }
  const sink = () => {
    for (let parent = 0; ; ) {
      let worst = parent
      for (const child of [2 * parent + 1, 2 * parent + 2])
        if (child < heap.length && worse(heap[child] ?? 0, heap[worst] ?? 0)) worst = child
      if (worst === parent) return
      swap(parent, worst)
      parent = worst
    }
  }
  for (let place = 0; place < scores.length; place++) {
    if (!(scoreAt(place) > 0)) continue
    if (heap.length < limit) {
      heap.push(place)
      rise(heap.length - 1)
    } else if (heap.length > 0 && worse(heap[0] ?? 0, place)) {
      heap[0] = place
      sink()
    }
  }
  return heap.sort((left, right) => (worse(left, right) ? 1 : -1))
}
