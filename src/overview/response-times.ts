/** Average response times of the last hours, for the small line charts beside monitors. */
import { addMs } from '../lib/clock.ts'
import { RECENT_RESPONSE_STEP_MS } from '../shared/monitors.ts'
import { MIN_SPARKLINE_POINTS } from '../shared/sparkline-paths.ts'
import { HOUR_MS } from '../shared/time.ts'
import type { Tenant } from '../storage/tenant.ts'
import { readHourlyResponses, readRecentResponses } from './response-times-store.ts'
import { type OverviewResponseTimes, RECENT_RESPONSE_STEPS, RESPONSE_TIME_HOURS } from './schema.ts'

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
  const hoursById = new AveragesById(RESPONSE_TIME_HOURS)
  for (const { monitorId, hour, averageMs } of await readHourlyResponses(tenant, monitorIds, hours)) {
    hoursById.add(monitorId, hour, averageMs)
  }
  const youngIds = hoursById.listIdsWithFewerThan(MIN_SPARKLINE_POINTS)
  const currentStep = Math.floor(now.getTime() / RECENT_RESPONSE_STEP_MS) * RECENT_RESPONSE_STEP_MS
  const recentStartsAt = new Date(currentStep - (RECENT_RESPONSE_STEPS - 1) * RECENT_RESPONSE_STEP_MS)
  const recentById = new AveragesById(RECENT_RESPONSE_STEPS)
  if (youngIds.length > 0) {
    const recentSteps = { startsAt: recentStartsAt, until: now, stepMs: RECENT_RESPONSE_STEP_MS }
    for (const { monitorId, step, averageMs } of await readRecentResponses(tenant, youngIds, recentSteps)) {
      recentById.add(monitorId, step, averageMs)
    }
  }
  const monitors = hoursById.map((id, averages) => ({ id, hours: averages, recent: recentById.get(id) ?? null }))
  return { starts_at: startsAt.toISOString(), recent_starts_at: recentStartsAt.toISOString(), monitors }
}

/** Averages of a fixed number of steps for each monitor, null where there was no response. */
class AveragesById {
  readonly #averagesById = new Map<number, (number | null)[]>()
  readonly #stepCount: number

  constructor(stepCount: number) {
    this.#stepCount = stepCount
  }

  add(id: number, step: number, average: number): void {
    const averages = this.#averagesById.getOrInsertComputed(id, () => new Array(this.#stepCount).fill(null))
    averages[step] = average
  }

  get(id: number): (number | null)[] | undefined {
    return this.#averagesById.get(id)
  }

  map<T>(convert: (id: number, averages: (number | null)[]) => T): T[] {
    return [...this.#averagesById].map(([id, averages]) => convert(id, averages))
  }

  /** Returns the ids of monitors that had responses in fewer than `count` steps. */
  listIdsWithFewerThan(count: number): number[] {
    const hasFewer = (averages: (number | null)[]) => averages.filter((average) => average !== null).length < count
    return [...this.#averagesById].filter(([, averages]) => hasFewer(averages)).map(([id]) => id)
  }
}
