import { describe, expect, it } from 'vitest'
import {
  chooseLineStyle,
  computeTooltipLeft,
  computeYRange,
  findIsolatedIndexes,
  getRangeEdges,
  listNotesAt,
} from './model.ts'

describe('a line chart', () => {
  it('extends shading halfway to the neighbouring labels, but shades exact times on a time axis', () => {
    expect(getRangeEdges(['Mon', 'Tue'], { from: 1, to: 1, label: '' })).toEqual([0.5, 1.5])
    expect(getRangeEdges([60, 120], { from: 70, to: 90, label: '' })).toEqual([70, 90])
  })

  it('lists each note of a label once', () => {
    const shadedRanges = [
      { from: 1, to: 1, label: 'Shop was down' },
      { from: 1, to: 2, label: 'Shop was down' },
      { from: 2, to: 2, label: 'API was down' },
    ]
    const listNotes = (index: number) => listNotesAt(['Mon', 'Tue', 'Wed'], shadedRanges, index)
    expect([listNotes(0), listNotes(1), listNotes(2)]).toEqual([
      [],
      ['Shop was down'],
      ['Shop was down', 'API was down'],
    ])
  })

  it('lists a note that falls between two times at the earlier time', () => {
    const shadedRanges = [{ from: 70, to: 90, label: 'timeout' }]
    const listNotes = (index: number) => listNotesAt([60, 120, 180], shadedRanges, index)
    expect([listNotes(0), listNotes(1), listNotes(2)]).toEqual([['timeout'], [], []])
  })

  it('finds values that no line connects', () => {
    expect(findIsolatedIndexes([1, null, 2, 3, null, 4])).toEqual([0, 5])
    expect(findIsolatedIndexes([7])).toEqual([0])
    expect(findIsolatedIndexes([1, 2, null])).toBeNull()
  })

  it('places the tooltip beside the point and inside the chart', () => {
    expect(computeTooltipLeft(100, 200, 600)).toBe(112)
    expect(computeTooltipLeft(500, 200, 600)).toBe(288)
    expect(computeTooltipLeft(150, 200, 300)).toBe(100)
    expect(computeTooltipLeft(150, 400, 300)).toBe(0)
  })

  it('gives lines different dash patterns when colours are forced', () => {
    const chooseStyles = (hasForcedColours: boolean) =>
      [0, 1, 2, 3].map((index) => chooseLineStyle({}, index, hasForcedColours))
    expect(chooseStyles(false)).toEqual(['solid', 'solid', 'solid', 'solid'])
    expect(chooseStyles(true)).toEqual(['solid', 'dashed', 'dotted', 'solid'])
    expect(chooseLineStyle({ isDashed: true }, 0, false)).toBe('dashed')
  })

  it('starts at 0 and leaves space above the maximum, even without data', () => {
    expect(computeYRange(100)).toEqual([0, 108])
    expect(computeYRange(0)).toEqual([0, 1])
    expect(computeYRange(null)).toEqual([0, 1])
  })
})
