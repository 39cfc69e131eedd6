import { expect, it } from 'vitest'
import { toVisitsChart } from './to-visits-chart.ts'

const start = Date.parse('2026-01-05T10:00:00.000Z')
const at = (minutes: number) => new Date(start + 60_000 * minutes).toISOString()
const slots = [0, 5, 10].map((minutes) => ({ starts_at: at(minutes), seen: minutes, expected: 6.4, low: 2, high: 11 }))
const incident = { title: 'Timeout', started_at: at(6), resolved_at: null }
const build = (to: string, resolved_at: string | null = null) =>
  toVisitsChart({ slots, slotSeconds: 300, to, incident: { ...incident, resolved_at } })

it('the chart of visits has a bar for each slot, and a line with the range of the expected visits', () => {
  const { x, xRange, series } = build(at(15))
  expect(x.map((seconds) => seconds - start / 1_000)).toEqual([150, 450, 750])
  expect(xRange.map((seconds) => seconds - start / 1_000)).toEqual([0, 900])
  expect(series).toMatchObject([
    { label: 'Visits', values: [0, 5, 10], hasBars: true },
    { label: 'Expected', values: [6.4, 6.4, 6.4], range: { low: [2, 2, 2], high: [11, 11, 11] } },
  ])
})

it('the chart of visits shades the incident until its end, or until now if it is ongoing', () => {
  const listBand = (...args: Parameters<typeof build>) =>
    build(...args).bands.map(({ from, to }) => [from - start / 1_000, to - start / 1_000])
  expect(listBand(at(13))).toEqual([[360, 780]])
  expect(listBand(at(15), at(9))).toEqual([[360, 540]])
})

it('the chart of visits marks the last slot as incomplete until it is over', () => {
  expect(build(at(13))).toHaveProperty('incompleteIndex', 2)
  expect(build(at(15))).not.toHaveProperty('incompleteIndex')
})
