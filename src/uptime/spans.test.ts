import { describe, expect, it } from 'vitest'
import { computeTotalLength, intersectSpans, normalizeSpans } from './spans.ts'

const forever = Number.POSITIVE_INFINITY

describe('spans', () => {
  it.each([
    ['separate spans stay unchanged', [1, 2, 4, 6], [1, 2, 4, 6]],
    ['spans are sorted', [4, 6, 1, 2], [1, 2, 4, 6]],
    ['spans are clipped at both ends of the range', [-5, 3, 8, 20], [0, 3, 8, 10]],
    ['an open span ends with the range', [7, forever], [7, 10]],
    ['spans outside the range are dropped', [-9, 0, 10, 12, 11, forever], []],
    ['empty and reversed spans are dropped', [3, 3, 6, 5], []],
    ['touching spans are merged', [1, 2, 2, 3], [1, 3]],
    ['overlapping spans are merged', [1, 5, 2, 3, 4, 7], [1, 7]],
  ])('are normalized: %s', (_case, spans, normalizedSpans) =>
    expect(normalizeSpans(spans, 0, 10)).toEqual(normalizedSpans),
  )

  it.each([
    ['an empty list gives an empty list', [], [0, 9], []],
    ['two spans overlap in part', [1, 5], [3, 9], [3, 5]],
    ['several spans are within one span', [0, 10], [1, 2, 4, 6], [1, 2, 4, 6]],
    ['spans of both lists alternate', [0, 3, 5, 8], [2, 6, 7, 9], [2, 3, 5, 6, 7, 8]],
    ['two spans only touch', [0, 3], [3, 6], []],
  ])('are intersected: %s', (_case, a, b, commonSpans) => {
    expect(intersectSpans(a, b)).toEqual(commonSpans)
    expect(intersectSpans(b, a)).toEqual(commonSpans)
  })

  it('have a total length: the sum of their lengths', () => expect(computeTotalLength([1, 2, 4, 8])).toBe(5))
})
