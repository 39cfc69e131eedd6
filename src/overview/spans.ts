/** Times from one moment to another, as beginnings and ends in turn: ten thousand monitors have a hundred thousand of them. */
export type Spans = number[]

/** Within two moments, in order, and none of them touching the next. */
export function tidySpans(spans: Spans, from: number, to: number): Spans {
  const ordered = isOrdered(spans) ? spans : inOrder(spans)
  const tidy: Spans = []
  for (let index = 0; index < ordered.length; index += 2) {
    const begin = Math.max(ordered[index] as number, from)
    const end = Math.min(ordered[index + 1] as number, to)
    if (end <= begin) continue
    const last = tidy.length - 1
    if (last > 0 && begin <= (tidy[last] as number)) tidy[last] = Math.max(tidy[last] as number, end)
    else tidy.push(begin, end)
  }
  return tidy
}

function isOrdered(spans: Spans): boolean {
  for (let index = 2; index < spans.length; index += 2) {
    if ((spans[index] as number) < (spans[index - 2] as number)) return false
  }
  return true
}

function inOrder(spans: Spans): Spans {
  const pairs = Array.from({ length: spans.length / 2 }, (_, n) => [spans[2 * n] as number, spans[2 * n + 1] as number])
  return pairs.sort(([a = 0], [b = 0]) => a - b).flat()
}

/** What is in both. Both are tidy. */
export function intersectSpans(one: Spans, other: Spans): Spans {
  const common: Spans = []
  let [left, right] = [0, 0]
  while (left < one.length && right < other.length) {
    const begin = Math.max(one[left] as number, other[right] as number)
    const [leftEnd, rightEnd] = [one[left + 1] as number, other[right + 1] as number]
    const end = Math.min(leftEnd, rightEnd)
    if (begin < end) common.push(begin, end)
    if (leftEnd <= rightEnd) left += 2
    else right += 2
  }
  return common
}

export function lengthOf(spans: Spans): number {
  let sum = 0
  for (let index = 0; index < spans.length; index += 2) sum += (spans[index + 1] as number) - (spans[index] as number)
  return sum
}
