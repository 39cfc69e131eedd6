import { describe, expect, it } from 'vitest'
import { createGeometry, getBandEdges, placeTooltip } from './geometry.ts'
import {
  chooseLineStyle,
  findMax,
  findNearestIndex,
  formatLineValue,
  getSlot,
  getXRange,
  hideFutureValues,
  type LineSeries,
  listBandsAt,
} from './model.ts'
import { buildBarPath, buildLinePaths, buildRangePath } from './paths.ts'

const createLine = (values: LineSeries['values'], fields = {}) => ({ label: 'a', colourVar: '--a', values, ...fields })

describe('a band', () => {
  const week = ['Mon', 'Tue', 'Wed']
  const band = (from: number, to: number, title = 'Shop was down', href?: string) => ({ from, to, title, href })

  it('belongs to each slot that it touches, and to the nearest value on a time axis', () => {
    const bands = [band(1.4, 1.5), band(1.9, 2.1, 'API was down')]
    const listTitles = (index: number) => listBandsAt(week, bands, index).map(({ title }) => title)
    expect([0, 1, 2].map(listTitles)).toEqual([[], ['Shop was down', 'API was down'], ['API was down']])
    const times = [60, 120, 180]
    expect([0, 1, 2].map((index) => listBandsAt(times, [band(70, 80)], index).length)).toEqual([1, 0, 0])
    expect([0, 1, 2].map((index) => listBandsAt(times, [band(91, 400)], index).length)).toEqual([0, 1, 1])
  })

  it('is listed once if another band has the same texts, unless their links differ', () => {
    expect(listBandsAt(week, [band(1, 1.1), band(1.2, 1.3)], 1)).toHaveLength(1)
    expect(listBandsAt(week, [band(1, 1.1, 'x', '/a'), band(1.2, 1.3, 'x', '/b')], 1)).toHaveLength(2)
  })

  it('is as wide as its part of the slot, but at least two pixels', () => {
    const input = { width: 340, height: 200, axisWidth: 30, xRange: undefined, maxValue: 1 }
    const geometry = createGeometry({ ...input, x: week })
    expect(getBandEdges(band(1.25, 1.75), geometry)).toEqual({ start: 155, end: 205 })
    expect(getBandEdges(band(0.5, 0.501), geometry)).toEqual({ start: 80, end: 82 })
    expect(getBandEdges(band(-4, 0.5), geometry)).toEqual({ start: 30, end: 80 })
    expect(getBandEdges(band(3, 3), geometry)).toEqual({ start: 328, end: 330 })
    expect(getBandEdges(band(5, 6), geometry)).toBeUndefined()
  })
})

describe('the crosshair', () => {
  it('snaps to the slot under the pointer, or to the nearest time', () => {
    expect([-3, 0.9, 1, 9].map((position) => findNearestIndex(['Mon', 'Tue'], position))).toEqual([0, 0, 1, 1])
    expect([0, 89, 91, 999].map((position) => findNearestIndex([60, 120, 180], position))).toEqual([0, 0, 1, 2])
  })

  it('covers the slot around each value', () => {
    expect(getSlot(['Mon', 'Tue'], 1)).toEqual([1, 2])
    expect([0, 1, 2].map((index) => getSlot([60, 120, 240], index))).toEqual([
      [30, 90],
      [90, 180],
      [180, 300],
    ])
    expect(getSlot([60], 0)).toEqual([59.5, 60.5])
  })
})

describe('the x axis', () => {
  it('has a slot for each label, and shows the given range of times', () => {
    expect(getXRange(['Mon', 'Tue'], undefined)).toEqual([0, 2])
    expect(getXRange([60, 120], undefined)).toEqual([60, 120])
    expect(getXRange([60, 120], [0, 300])).toEqual([0, 300])
    expect(getXRange([60], undefined)).toEqual([59.5, 60.5])
  })
})

describe('a line', () => {
  const geometry = { xOf: (index: number) => 10 * index, toY: (value: number) => 100 - value, bottom: 100 }
  const buildPaths = (values: (number | null)[], incompleteIndex?: number, hasDots = false) =>
    buildLinePaths({ values, incompleteIndex, hasDots }, geometry)

  it('is dashed where it leads into the incomplete slot', () => {
    expect(buildPaths([1, 2, 3], 2)).toMatchObject({ line: 'M0 99L10 98', incompleteLine: 'M10 98L20 97' })
    expect(buildPaths([1, 2, 3])).toMatchObject({ line: 'M0 99L10 98L20 97', incompleteLine: '' })
    expect(buildPaths([null, 2], 1)).toMatchObject({ line: '', incompleteLine: '', dots: 'M10 98h0' })
  })

  it('has gaps, and a dot where no line connects a value', () => {
    const { line, dots, area } = buildPaths([1, null, 2, 3, null, 4])
    expect([line, dots]).toEqual(['M20 98L30 97', 'M0 99h0M50 96h0'])
    expect(area).toBe('M20 98L30 97L30 100L20 100Z')
    expect(buildPaths([1, 2], undefined, true).dots).toBe('M0 99h0M10 98h0')
  })

  it('ends at the incomplete slot, unless it is a comparison', () => {
    const [line, comparison] = hideFutureValues([createLine([1, 2, 0]), createLine([4, 5, 6], { isDashed: true })], 1)
    expect([line?.values, comparison?.values]).toEqual([
      [1, 2, null],
      [4, 5, 6],
    ])
  })

  it('has its own dash pattern when colours are forced', () => {
    const chooseStyles = (hasForcedColours: boolean) =>
      [0, 1, 2, 3].map((index) => chooseLineStyle({}, index, hasForcedColours))
    expect(chooseStyles(false)).toEqual(['solid', 'solid', 'solid', 'solid'])
    expect(chooseStyles(true)).toEqual(['solid', 'dashed', 'dotted', 'solid'])
    expect(chooseLineStyle({ isDashed: true }, 0, false)).toBe('dashed')
  })

  it('has a largest value, which includes the bounds of estimates', () => {
    expect(findMax([createLine([1, null]), createLine([3])])).toBe(3)
    expect(findMax([createLine([null])])).toBeNull()
    expect(findMax([createLine([3], { range: { low: [1], high: [8] } })])).toBe(8)
  })
})

describe('an estimate', () => {
  const line = createLine([12, 4, null], { range: { low: [8, null, null], high: [17, null, null] } })

  it('shows its bounds', () => {
    expect([0, 1, 2].map((index) => formatLineValue(line, index, String))).toEqual(['12 (8 to 17)', '4', '–'])
  })

  it('has an area between its bounds, with gaps', () => {
    const geometry = { xOf: (index: number) => 10 * index, toY: (value: number) => 100 - value }
    const range = { low: [1, 2, null, 4, 5], high: [6, 7, 8, null, 9] }
    expect(buildRangePath(range, geometry)).toBe('M0 94L10 93L10 98L0 99ZM40 91L40 95Z')
  })
})

it('a bar is drawn for each value above 0, and is at least a pixel wide', () => {
  const geometry = { xOf: (index: number) => 50 + 100 * index, toY: (value: number) => 100 - value, bottom: 100 }
  expect(buildBarPath([3, 0, null, 5], { ...geometry, left: 0, right: 400 })).toBe(
    'M12 100V97h76V100ZM312 100V95h76V100Z',
  )
  expect(buildBarPath([3, 4], { ...geometry, left: 0, right: 1 })).toBe('M49.5 100V97h1V100ZM149.5 100V96h1V100Z')
})

describe('the tooltip', () => {
  const tooltip = { width: 200, height: 80 }
  const wideChart = { width: 600, height: 260 }

  const anchorAt = (x: number, y: number, top = y, bottom = y) => ({ x, y, top, bottom })

  it('is right of the values, or left of them near the right edge', () => {
    expect(placeTooltip(anchorAt(100, 130), tooltip, wideChart)).toEqual({ left: 116, top: 90 })
    expect(placeTooltip(anchorAt(500, 130), tooltip, wideChart)).toEqual({ left: 284, top: 90 })
  })

  it('stays inside the chart at the top and bottom', () => {
    expect(placeTooltip(anchorAt(100, 5), tooltip, wideChart).top).toBe(0)
    expect(placeTooltip(anchorAt(100, 255), tooltip, wideChart).top).toBe(180)
  })

  it('is below or above the values in a narrow chart, and never covers them', () => {
    const narrowChart = { width: 280, height: 260 }
    expect(placeTooltip(anchorAt(140, 60), tooltip, narrowChart)).toEqual({ left: 40, top: 76 })
    expect(placeTooltip(anchorAt(140, 60, 20, 90), tooltip, narrowChart)).toEqual({ left: 40, top: 106 })
    expect(placeTooltip(anchorAt(140, 200), tooltip, narrowChart)).toEqual({ left: 40, top: 104 })
    expect(placeTooltip(anchorAt(210, 200, 120, 220), tooltip, narrowChart)).toEqual({ left: 80, top: 24 })
  })
})
