import { describe, expect, it } from 'vitest'
import { rangeOf, setChosen } from './selection.ts'

describe('a selection', () => {
  it('grows and shrinks without changing the one before', () => {
    const before = new Set([1, 2])
    expect([...setChosen(before, [2, 3], true)]).toEqual([1, 2, 3])
    expect([...setChosen(before, [2, 3], false)]).toEqual([1])
    expect([...before]).toEqual([1, 2])
  })

  it('takes a range in the order of the rows, upwards and downwards', () => {
    const shown = [5, 3, 9, 1]
    expect(rangeOf(shown, 3, 1)).toEqual([3, 9, 1])
    expect(rangeOf(shown, 9, 5)).toEqual([5, 3, 9])
    expect(rangeOf(shown, 3, 3)).toEqual([3])
  })

  it('takes one row where nothing was touched before, or what was is hidden', () => {
    expect(rangeOf([5, 3], undefined, 3)).toEqual([3])
    expect(rangeOf([5, 3], 7, 3)).toEqual([3])
  })
})
