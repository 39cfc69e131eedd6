/**
 * Reads a monitor's check results in a time window: rollups, and raw checks for the hours that have not been rolled up
 * yet.
 */

import type { CheckWindowName, TimeWindow } from '../incidents/window.ts'
import { addMs } from '../lib/clock.ts'
import { notFound } from '../lib/problem.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../shared/time.ts'
import type { Tenant } from '../storage/tenant.ts'
import type { Queries } from '../storage/transaction.ts'
import type { MonitorHistory } from '../uptime/uptime.ts'
import { findLatest, floorToStep } from './hours.ts'
import type { CheckTotals } from './series.ts'
import { readRawChecks, readRollups, type StoredCheck, type TimeSpan } from './store.ts'

export interface WindowResults {
  stepMs: number
  /** Each check in the window is counted in exactly one of these entries. */
  totals: CheckTotals[]
  recentChecks: StoredCheck[]
  history: MonitorHistory
}

/** The number of recent checks that the monitor's page shows as bars. */
const MAX_RECENT_CHECKS = 60
/** A monitor has at most 720 scheduled checks an hour. The rest is for retries and manual checks. */
const MAX_CHECKS_OF_AN_HOUR = 1_000
/** No raw check is older than this: they are deleted after about 26 hours. */
const MAX_RAW_AGE_MS = 2 * DAY_MS

/** Reads from one snapshot, so that checks that are just being rolled up are neither missed nor counted twice. */
export function readWindowResults(
  tenant: Tenant,
  monitorId: number,
  name: CheckWindowName,
  window: TimeWindow,
): Promise<WindowResults> {
  return tenant.snapshot((q) =>
    name === '1h' ? readLastHour(q, monitorId, window) : readRolledUpWindow(q, monitorId, name === '24h', window),
  )
}

/** Every check of the last hour still exists, so rollups aren't needed. */
async function readLastHour(q: Queries, monitorId: number, window: TimeWindow): Promise<WindowResults> {
  const rollups = await readRollups(q, monitorId, window, { daysFrom: undefined, hoursFrom: window.to })
  if (rollups === undefined) throw notFound()
  const span: TimeSpan = [window.from, addMs(window.to, 1)]
  const recent = { span, limit: MAX_CHECKS_OF_AN_HOUR }
  const checks = await readRawChecks(q, monitorId, { spans: [span], period: 'minute', recent })
  return { stepMs: MINUTE_MS, history: rollups.history, ...checks }
}

/**
 * The 24-hour window is exact to the millisecond, because raw checks exist for its first, incomplete hour. Longer
 * windows start with a whole day.
 */
async function readRolledUpWindow(
  q: Queries,
  monitorId: number,
  isHourly: boolean,
  window: TimeWindow,
): Promise<WindowResults> {
  const stepMs = isHourly ? HOUR_MS : DAY_MS
  const rollupsFrom = isHourly
    ? floorToStep(HOUR_MS, addMs(window.from, HOUR_MS - 1))
    : floorToStep(DAY_MS, window.from)
  const until = addMs(window.to, 1)
  const daysFrom = isHourly ? undefined : rollupsFrom
  const rollups = await readRollups(q, monitorId, window, { daysFrom, hoursFrom: rollupsFrom })
  if (rollups === undefined) throw notFound()
  const { days, history } = rollups
  const rolledUpDaysEnd = findLatest(rollupsFrom, computeEnd(days.at(-1), DAY_MS))
  const hours = rollups.hours.filter(({ startsAt }) => startsAt >= rolledUpDaysEnd)
  const rolledUpHoursEnd = findLatest(rolledUpDaysEnd, computeEnd(hours.at(-1), HOUR_MS))
  const firstHourSpans: TimeSpan[] = isHourly ? [[window.from, rollupsFrom]] : []
  const { totals, recentChecks } = await readRawChecks(q, monitorId, {
    spans: [...firstHourSpans, [rolledUpHoursEnd, until]],
    period: 'hour',
    recent: { span: [addMs(window.to, -MAX_RAW_AGE_MS), until], limit: MAX_RECENT_CHECKS },
  })
  return { stepMs, totals: [...days, ...hours, ...totals], recentChecks, history }
}

function computeEnd(totals: CheckTotals | undefined, lengthMs: number): Date | undefined {
  return totals && addMs(totals.startsAt, lengthMs)
}
