/** Average response times of the last hours, for the small line charts beside monitors. */
import { addMs } from '../lib/clock.ts'
import { HOUR_MS } from '../shared/time.ts'
import type { Tenant } from '../storage/tenant.ts'
import { readHourlyResponses } from './response-times-store.ts'
import { type OverviewResponseTimes, RESPONSE_TIME_HOURS } from './schema.ts'

/** An hour is rolled up a few minutes after it ends. Until then, its figures come from raw checks. */
const RAW_HOURS = 2

export interface ResponseHours {
  /** The start of the first hour. */
  startsAt: Date
  /** The start of the first hour whose figures may only be in raw checks. */
  rawFrom: Date
  until: Date
}

/** Returns the last hours, including the current one. */
export function getResponseHours(now: Date): ResponseHours {
  const currentHour = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS)
  return {
    startsAt: addMs(currentHour, (1 - RESPONSE_TIME_HOURS) * HOUR_MS),
    rawFrom: addMs(currentHour, (1 - RAW_HOURS) * HOUR_MS),
    until: now,
  }
}

export async function readResponseTimes(
  tenant: Tenant,
  monitorIds: readonly number[],
  now: Date,
): Promise<OverviewResponseTimes> {
  const hours = getResponseHours(now)
  const { startsAt } = hours
  const responses = await readHourlyResponses(tenant, monitorIds, hours)
  const hoursByMonitor = new Map<number, (number | null)[]>()
  for (const { monitorId, hour, averageMs } of responses) {
    const averages = hoursByMonitor.getOrInsertComputed(monitorId, () => new Array(RESPONSE_TIME_HOURS).fill(null))
    averages[hour] = averageMs
  }
  const monitors = [...hoursByMonitor].map(([id, hours]) => ({ id, hours }))
  return { starts_at: startsAt.toISOString(), monitors }
}
