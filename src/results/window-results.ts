/**
 * Reads a monitor's check results in a time window: rollups, and raw checks for the hours that have not been rolled up
 * yet.
 */

import type { IncidentSummary } from '../incidents/store.ts'
import type { TimeWindow, WindowName } from '../incidents/window.ts'
import { addMs } from '../lib/clock.ts'
import { notFound } from '../lib/problem.ts'
import { DAY_MS, HOUR_MS } from '../shared/time.ts'
import type { Tenant } from '../storage/tenant.ts'
import { findLatest, floorToStep } from './hours.ts'
import type { CheckTotals } from './series.ts'
import { readRawChecks, readRollups, type StoredCheck, type TimeSpan } from './store.ts'

export interface WindowResults {
  stepMs: number
  /** Each check in the window is counted in exactly one of these entries. */
  totals: CheckTotals[]
  recentChecks: StoredCheck[]
  incidents: IncidentSummary
}

/**
 * Reads from one snapshot, so that checks that are just being rolled up are neither missed nor counted twice.
 *
 * The 24-hour window is exact to the millisecond, because raw checks exist for its first, incomplete hour. Longer
 * windows start with a whole day.
 */
export async function readWindowResults(
  tenant: Tenant,
  monitorId: number,
  name: WindowName,
  window: TimeWindow,
): Promise<WindowResults> {
  const isHourly = name === '24h'
  const stepMs = isHourly ? HOUR_MS : DAY_MS
  const rollupsFrom = isHourly
    ? floorToStep(HOUR_MS, addMs(window.from, HOUR_MS - 1))
    : floorToStep(DAY_MS, window.from)
  const until = addMs(window.to, 1)
  return tenant.snapshot(async (q) => {
    const daysFrom = isHourly ? undefined : rollupsFrom
    const rollups = await readRollups(q, monitorId, window, { daysFrom, hoursFrom: rollupsFrom })
    if (rollups === undefined) throw notFound()
    const { days, incidents } = rollups
    const rolledUpDaysEnd = findLatest(rollupsFrom, computeEnd(days.at(-1), DAY_MS))
    const hours = rollups.hours.filter(({ startsAt }) => startsAt >= rolledUpDaysEnd)
    const rolledUpHoursEnd = findLatest(rolledUpDaysEnd, computeEnd(hours.at(-1), HOUR_MS))
    const firstHourSpans: TimeSpan[] = isHourly ? [[window.from, rollupsFrom]] : []
    const rawSpans: TimeSpan[] = [...firstHourSpans, [rolledUpHoursEnd, until]]
    const { totals, recentChecks } = await readRawChecks(q, monitorId, rawSpans, until)
    return { stepMs, totals: [...days, ...hours, ...totals], recentChecks, incidents }
  })
}

function computeEnd(totals: CheckTotals | undefined, lengthMs: number): Date | undefined {
  return totals && addMs(totals.startsAt, lengthMs)
}
