import { expect, it } from 'vitest'
import { growDowntime } from './grow-downtime.ts'

const at = (seconds: number) => new Date(Date.parse('2026-01-05T10:00:00.250Z') + 1_000 * seconds).toISOString()
const day = { from: at(-86_400), to: at(0) }
const nowAfter = (seconds: number) => Date.parse(at(seconds))

it('growDowntime leaves the downtime of a monitor that is up unchanged', () => {
  expect(growDowntime({ ...day, downtime_seconds: 60 }, null, nowAfter(30))).toBe(60)
})

it('growDowntime increases the downtime every second while an incident is ongoing', () => {
  const measuredWindow = { ...day, downtime_seconds: 10 }
  expect([0, 1, 1.9, 50].map((seconds) => growDowntime(measuredWindow, at(-10), nowAfter(seconds)))).toEqual([
    10, 11, 11, 60,
  ])
  expect(growDowntime({ ...day, downtime_seconds: 70 }, at(-10), nowAfter(5))).toBe(75)
})

it('growDowntime counts an incident that opened after the response', () => {
  expect(growDowntime({ ...day, downtime_seconds: 0 }, at(3), nowAfter(10))).toBe(7)
})

it('growDowntime never returns more downtime than the window is long', () => {
  expect(growDowntime({ ...day, downtime_seconds: 86_400 }, at(-100_000), nowAfter(60))).toBe(86_400)
})
