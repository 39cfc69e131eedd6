import { describe, expect, it } from 'vitest'
import { intersectSpans, lengthOf, tidySpans } from './spans.ts'

const forever = Number.POSITIVE_INFINITY

describe('spans', () => {
  it.each([
    ['stay as they are', [1, 2, 4, 6], [1, 2, 4, 6]],
    ['are put in order', [4, 6, 1, 2], [1, 2, 4, 6]],
    ['are cut at both ends', [-5, 3, 8, 20], [0, 3, 8, 10]],
    ['go on until the end where they have none', [7, forever], [7, 10]],
    ['are left out beyond it', [-9, 0, 10, 12, 11, forever], []],
    ['are left out where they have no length, or begin after their end', [3, 3, 6, 5], []],
    ['become one where they touch', [1, 2, 2, 3], [1, 3]],
    ['become one where they overlap', [1, 5, 2, 3, 4, 7], [1, 7]],
  ])('%s', (_what, spans, tidy) => expect(tidySpans(spans, 0, 10)).toEqual(tidy))

  it.each([
    ['nothing with nothing', [], [0, 9], []],
    ['a part', [1, 5], [3, 9], [3, 5]],
    ['several of one', [0, 10], [1, 2, 4, 6], [1, 2, 4, 6]],
    ['some of both', [0, 3, 5, 8], [2, 6, 7, 9], [2, 3, 5, 6, 7, 8]],
    ['not what only touches', [0, 3], [3, 6], []],
  ])('have in common %s', (_what, one, other, common) => {
    expect(intersectSpans(one, other)).toEqual(common)
    expect(intersectSpans(other, one)).toEqual(common)
  })

  it('are as long as all of them', () => expect(lengthOf([1, 2, 4, 8])).toBe(5))
})
