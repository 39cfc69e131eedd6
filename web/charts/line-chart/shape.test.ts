import { describe, expect, it } from 'vitest'
import { aloneIn, edgesOf, heightOf, notesAt, placeTip, strokeOf } from './shape.ts'

describe('a line chart', () => {
  it('shades a labelled place up to halfway to its neighbours, and moments as they are', () => {
    expect(edgesOf(['Mon', 'Tue'], { from: 1, to: 1, label: '' })).toEqual([0.5, 1.5])
    expect(edgesOf([60, 120], { from: 70, to: 90, label: '' })).toEqual([70, 90])
  })

  it('says of a labelled place what happened there, each thing once', () => {
    const shaded = [
      { from: 1, to: 1, label: 'Shop was down' },
      { from: 1, to: 2, label: 'Shop was down' },
      { from: 2, to: 2, label: 'API was down' },
    ]
    const at = (index: number) => notesAt(['Mon', 'Tue', 'Wed'], shaded, index)
    expect([at(0), at(1), at(2)]).toEqual([[], ['Shop was down'], ['Shop was down', 'API was down']])
  })

  it('says at a moment what happened until the next one', () => {
    const shaded = [{ from: 70, to: 90, label: 'timeout' }]
    const at = (index: number) => notesAt([60, 120, 180], shaded, index)
    expect([at(0), at(1), at(2)]).toEqual([['timeout'], [], []])
  })

  it('knows the values that no line goes to', () => {
    expect(aloneIn([1, null, 2, 3, null, 4])).toEqual([0, 5])
    expect(aloneIn([7])).toEqual([0])
    expect(aloneIn([1, 2, null])).toBeNull()
  })

  it('says what is pointed at beside it, and within the chart', () => {
    expect(placeTip(100, 200, 600)).toBe(112)
    expect(placeTip(500, 200, 600)).toBe(288)
    expect(placeTip(150, 200, 300)).toBe(100)
    expect(placeTip(150, 400, 300)).toBe(0)
  })

  it('has lines that differ by more than their colour where colours are few', () => {
    const strokes = (isPlain: boolean) => [0, 1, 2, 3].map((index) => strokeOf({}, index, isPlain))
    expect(strokes(false)).toEqual(['solid', 'solid', 'solid', 'solid'])
    expect(strokes(true)).toEqual(['solid', 'dashed', 'dotted', 'solid'])
    expect(strokeOf({ isDashed: true }, 0, false)).toBe('dashed')
  })

  it('begins at 0 and leaves room above, also where nothing happened', () => {
    expect(heightOf(100)).toEqual([0, 108])
    expect(heightOf(0)).toEqual([0, 1])
    expect(heightOf(null)).toEqual([0, 1])
  })
})
