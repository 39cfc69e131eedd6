/** Average response times of the last hours, for the small line charts beside monitors. */
import { addMs } from '../lib/clock.ts'
import { HOUR_MS } from '../shared/time.ts'
import type { Tenant } from '../storage/tenant.ts'
import { readHourlyResponses } from './response-times-store.ts'
import { type OverviewResponseTimes, RESPONSE_TIME_HOURS } from './schema.ts'

/** An hour is rolled up a few minutes after it ends. Until then, its figures come from raw checks. */
const RAW_HOURS = 2

export async function readResponseTimes(
  tenant: Tenant,
  monitorIds: readonly number[],
  now: Date,
): Promise<OverviewResponseTimes> {
  const currentHour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  const startsAt = new Date(currentHour - (RESPONSE_TIME_HOURS - 1) * HOUR_MS)
  const rawFrom = addMs(new Date(currentHour), (1 - RAW_HOURS) * HOUR_MS)
  const responses = await readHourlyResponses(tenant, monitorIds, { startsAt, rawFrom, until: now })
  const hoursByMonitor = new Map<number, (number | null)[]>()
  for (const { monitorId, hour, averageMs } of responses) {
    const hours = hoursByMonitor.getOrInsertComputed(monitorId, () => new Array(RESPONSE_TIME_HOURS).fill(null))
    hours[hour] = averageMs
  }
  const monitors = [...hoursByMonitor].map(([id, hours]) => ({ id, hours }))
  return { starts_at: startsAt.toISOString(), monitors }
}
