/** How a monitor answered within a window: what has been added up, and single checks for the rest. */

import type { IncidentSummary } from '../incidents/store.ts'
import type { TimeWindow, WindowName } from '../incidents/window.ts'
import { addMs } from '../lib/clock.ts'
import { notFound } from '../lib/problem.ts'
import { DAY_MS, HOUR_MS } from '../shared/time.ts'
import type { Tenant } from '../storage/tenant.ts'
import { floorToStep, latest } from './hours.ts'
import type { CheckTotals } from './series.ts'
import { readRawChecks, readRollups, type StoredCheck, type TimeSpan } from './store.ts'

export interface WindowResults {
  stepMs: number
  /** Every check of the window is in just one of them. */
  parts: CheckTotals[]
  recent: StoredCheck[]
  summary: IncidentSummary
}

/**
 * At one moment, so that nothing is missed or counted twice while it is being added up.
 *
 * A day's window goes to the millisecond, because single checks are there for its first, incomplete hour. Longer ones begin
 * with a whole day.
 */
export async function readWindowResults(
  tenant: Tenant,
  monitorId: number,
  name: WindowName,
  window: TimeWindow,
): Promise<WindowResults> {
  const isByHour = name === '24h'
  const stepMs = isByHour ? HOUR_MS : DAY_MS
  const wholeFrom = isByHour ? floorToStep(HOUR_MS, addMs(window.from, HOUR_MS - 1)) : floorToStep(DAY_MS, window.from)
  const until = addMs(window.to, 1)
  return tenant.snapshot(async (q) => {
    const daysFrom = isByHour ? undefined : wholeFrom
    const rolledUp = await readRollups(q, monitorId, window, { daysFrom, hoursFrom: wholeFrom })
    if (rolledUp === undefined) throw notFound()
    const { days, summary } = rolledUp
    const daysUntil = latest(wholeFrom, endOf(days.at(-1), DAY_MS))
    const hours = rolledUp.hours.filter(({ startsAt }) => startsAt >= daysUntil)
    const hoursUntil = latest(daysUntil, endOf(hours.at(-1), HOUR_MS))
    const head: TimeSpan[] = isByHour ? [[window.from, wholeFrom]] : []
    const { parts, recent } = await readRawChecks(q, monitorId, [...head, [hoursUntil, until]], until)
    return { stepMs, parts: [...days, ...hours, ...parts], recent, summary }
  })
}

function endOf(part: CheckTotals | undefined, ms: number): Date | undefined {
  return part && addMs(part.startsAt, ms)
}
