import { describe, expect, it } from 'vitest'
import { isolatedIndexes, lineStyleOf, notesAt, rangeEdges, tooltipLeft, yRange } from './model.ts'

describe('a line chart', () => {
  it('shades a label up to halfway to its neighbours, and times exactly', () => {
    expect(rangeEdges(['Mon', 'Tue'], { from: 1, to: 1, label: '' })).toEqual([0.5, 1.5])
    expect(rangeEdges([60, 120], { from: 70, to: 90, label: '' })).toEqual([70, 90])
  })

  it('lists each note of a label once', () => {
    const shaded = [
      { from: 1, to: 1, label: 'Shop was down' },
      { from: 1, to: 2, label: 'Shop was down' },
      { from: 2, to: 2, label: 'API was down' },
    ]
    const at = (index: number) => notesAt(['Mon', 'Tue', 'Wed'], shaded, index)
    expect([at(0), at(1), at(2)]).toEqual([[], ['Shop was down'], ['Shop was down', 'API was down']])
  })

  it('lists the notes between one time and the next', () => {
    const shaded = [{ from: 70, to: 90, label: 'timeout' }]
    const at = (index: number) => notesAt([60, 120, 180], shaded, index)
    expect([at(0), at(1), at(2)]).toEqual([['timeout'], [], []])
  })

  it('finds values that no line connects', () => {
    expect(isolatedIndexes([1, null, 2, 3, null, 4])).toEqual([0, 5])
    expect(isolatedIndexes([7])).toEqual([0])
    expect(isolatedIndexes([1, 2, null])).toBeNull()
  })

  it('places the tooltip beside the point and inside the chart', () => {
    expect(tooltipLeft(100, 200, 600)).toBe(112)
    expect(tooltipLeft(500, 200, 600)).toBe(288)
    expect(tooltipLeft(150, 200, 300)).toBe(100)
    expect(tooltipLeft(150, 400, 300)).toBe(0)
  })

  it('gives lines different dash patterns when colours are forced', () => {
    const styles = (hasForcedColours: boolean) => [0, 1, 2, 3].map((index) => lineStyleOf({}, index, hasForcedColours))
    expect(styles(false)).toEqual(['solid', 'solid', 'solid', 'solid'])
    expect(styles(true)).toEqual(['solid', 'dashed', 'dotted', 'solid'])
    expect(lineStyleOf({ isDashed: true }, 0, false)).toBe('dashed')
  })

  it('starts at 0 and leaves space above the maximum, even without data', () => {
    expect(yRange(100)).toEqual([0, 108])
    expect(yRange(0)).toEqual([0, 1])
    expect(yRange(null)).toEqual([0, 1])
  })
})
