/**
 * Time spans as a flat list: start, end, start, end… in epoch milliseconds. Ten thousand monitors can have a hundred thousand
 * spans, too many for an object each.
 */
export type Spans = number[]

/** Clips the spans to the range, sorts them, and merges those that overlap or touch. */
export function normalizeSpans(spans: Spans, from: number, to: number): Spans {
  const sorted = isSorted(spans) ? spans : sort(spans)
  const merged: Spans = []
  for (let index = 0; index < sorted.length; index += 2) {
    const start = Math.max(sorted[index] as number, from)
    const end = Math.min(sorted[index + 1] as number, to)
    if (end <= start) continue
    const lastEndIndex = merged.length - 1
    const lastEnd = merged[lastEndIndex]
    if (lastEnd !== undefined && start <= lastEnd) merged[lastEndIndex] = Math.max(lastEnd, end)
    else merged.push(start, end)
  }
  return merged
}

function isSorted(spans: Spans): boolean {
  for (let index = 2; index < spans.length; index += 2) {
    if ((spans[index] as number) < (spans[index - 2] as number)) return false
  }
  return true
}

function sort(spans: Spans): Spans {
  const pairs = Array.from({ length: spans.length / 2 }, (_, n) => [spans[2 * n] as number, spans[2 * n + 1] as number])
  return pairs.sort(([a = 0], [b = 0]) => a - b).flat()
}

/** Both arguments must be normalized. */
export function intersectSpans(a: Spans, b: Spans): Spans {
  const intersection: Spans = []
  let [indexA, indexB] = [0, 0]
  while (indexA < a.length && indexB < b.length) {
    const start = Math.max(a[indexA] as number, b[indexB] as number)
    const [endA, endB] = [a[indexA + 1] as number, b[indexB + 1] as number]
    const end = Math.min(endA, endB)
    if (start < end) intersection.push(start, end)
    if (endA <= endB) indexA += 2
    else indexB += 2
  }
  return intersection
}

export function computeTotalLength(spans: Spans): number {
  let sum = 0
  for (let index = 0; index < spans.length; index += 2) sum += (spans[index + 1] as number) - (spans[index] as number)
  return sum
}
