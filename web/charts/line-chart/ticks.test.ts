import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../../src/shared/time.ts'
import { axisFormats, listValueTicks, listXTicks } from './ticks.ts'

describe('the values of the y axis', () => {
  it.each([
    [7, [0, 2, 4, 6, 8]],
    [100, [0, 50, 100, 150]],
    [99, [0, 25, 50, 75, 100]],
    [1_234, [0, 500, 1_000, 1_500]],
    [1, [0, 1, 2]],
    [0, [0, 1]],
    [null, [0, 1]],
  ])('are round, and the top value is above %s', (max, ticks) => {
    expect(listValueTicks(max, 'count', 4)).toEqual(ticks)
  })

  it('are parts of minutes and hours if they are durations', () => {
    expect(listValueTicks(47, 'duration', 4)).toEqual([0, 15, 30, 45, 60])
    expect(listValueTicks(100, 'duration', 4)).toEqual([0, 30, 60, 90, 120])
    expect(listValueTicks(5_000, 'duration', 4)).toEqual([0, 1_800, 3_600, 5_400])
    expect([0, 30, 60, 5_400].map(axisFormats.duration)).toEqual(['0 s', '30 s', '1 min', '1 h 30 min'])
  })

  it('are 0 to 100 if they are percentages, and have units if they are times', () => {
    expect(listValueTicks(3, 'percent', 4)).toEqual([0, 25, 50, 75, 100])
    expect([0, 250, 1_500].map(axisFormats.ms)).toEqual(['0 ms', '250 ms', '1.5 s'])
  })
})

describe('the labels of the x axis', () => {
  const days = Array.from({ length: 30 }, (_, index) => `${index + 1} Jun`)

  it('are omitted where they would overlap', () => {
    const listLabels = (width: number) => listXTicks(days, [0, 30], width).map(({ label }) => label)
    expect(listLabels(2_000)).toHaveLength(30)
    expect(listLabels(1_000)).toEqual(days.filter((_, index) => index % 2 === 0))
    expect(listLabels(260)).toEqual(['1 Jun', '8 Jun', '15 Jun', '22 Jun', '29 Jun'])
    expect(listXTicks(days, [0, 30], 260)[1]?.position).toBe(7.5)
    const hours = ['1 Jan', '', '', '', '2 Jan', '', '', '', '3 Jan', '', '', '']
    expect(listXTicks(hours, [0, 12], 400)).toEqual(
      ['1 Jan', '2 Jan', '3 Jan'].map((label, day) => ({ position: day * 4 + 0.5, label })),
    )
  })

  it('are round times in the local time zone', () => {
    const midnight = new Date(2026, 0, 5).getTime()
    const range = (hours: number) => [midnight / 1_000 + 60, (midnight + hours * HOUR_MS) / 1_000] as const
    const listHours = (hours: number, width: number) =>
      listXTicks([0], range(hours), width).map(({ position }) => (position * 1_000 - midnight) / HOUR_MS)
    expect(listHours(1, 600)).toEqual([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1])
    expect(listHours(24, 600)).toEqual([3, 6, 9, 12, 15, 18, 21, 24])
    expect(listHours(24, 200)).toEqual([12, 24])
    expect(listHours(30 * 24, 400)).toHaveLength(4)
  })

  it('are the first days of months in a long range', () => {
    const toSeconds = (month: number, day: number) => new Date(2025, month, day).getTime() / 1_000
    const ticks = listXTicks([0], [toSeconds(6, 12), toSeconds(18, 12)], 900)
    expect(ticks.map(({ position }) => new Date(position * 1_000).getDate())).toEqual(Array(12).fill(1))
    expect(ticks[5]?.label).toContain('2026')
    expect(ticks[4]?.label).not.toContain('2025')
    expect(listXTicks([0], [toSeconds(6, 12), toSeconds(18, 12)], 300)).toHaveLength(4)
  })
})
