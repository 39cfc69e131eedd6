/** Reads an overview: totals, series and panels of a range, and the period that it is compared with. */
import { localDayAt } from '../../lib/local-day.ts'
import type { SeriesInterval } from '../../shared/statistics.ts'
import { MINUTE_MS } from '../../shared/time.ts'
import type { Queries } from '../../storage/client.ts'
import { dimensionNames } from '../model/dimensions.ts'
import { type Comparison, createDayShift, findSameTimeOnDay } from './comparison.ts'
import {
  type DayTotalsRow,
  readDayTotals,
  readDimensionCounts,
  readWebsiteFacts,
  type WebsiteDays,
} from './counts-store.ts'
import { computePercentChanges, type DateRange, sumDayTotals } from './figures.ts'
import { readFilterConditions } from './filter-conditions.ts'
import { type PeriodStatistics, readFilteredStatistics } from './filtered.ts'
import type { FilterCondition, RequestedParts } from './filtered-store.ts'
import type { StatisticsFilter } from './filters.ts'
import { createHourStatistics, readHourStatistics } from './hours-store.ts'
import { readTopRows } from './panels.ts'
import { countDayUntil, countMatchingDayUntil } from './partial-day-store.ts'
import type { StatisticsOverview } from './schema.ts'
import { countByHour, countBySlot, createSeries } from './series.ts'
import { findRunningSlot, listComparedSlots, listSlots } from './slots.ts'

export interface OverviewRequest extends DateRange {
  interval: SeriesInterval
  comparison?: Comparison | undefined
  filters: readonly StatisticsFilter[]
}

interface OverviewSite {
  id: number
  domain: string
  timeZone: string
}

/** Shared by the reads of the current and the earlier period. */
interface OverviewContext {
  q: Queries
  site: OverviewSite
  request: OverviewRequest
  /** Undefined without filters. */
  conditions: readonly FilterCondition[] | undefined
  now: Date
}

/** A visitor counts as present for this long after their last event. */
export const VISITORS_NOW_WINDOW_MS = 5 * MINUTE_MS

export async function readOverview(
  q: Queries,
  site: OverviewSite,
  request: OverviewRequest,
  now: Date,
): Promise<StatisticsOverview> {
  const { from, to, interval, comparison } = request
  const conditions = await readFilterConditions(q, site.id, request.filters)
  const context: OverviewContext = { q, site, request, conditions, now }
  const period = await readPeriod(context, request, { panels: true, hours: interval === 'hour' })
  const slots =
    interval === 'hour'
      ? countByHour(site.timeZone, request, period.hours)
      : countBySlot(listSlots(request, interval), period.totals)
  const { visitorsNow, firstDay } = await readWebsiteFacts(q, site.id, new Date(now.getTime() - VISITORS_NOW_WINDOW_MS))
  const panels = await readTopRows(q, site.id, period.counts)
  return {
    website: { id: site.id, domain: site.domain, time_zone: site.timeZone, first_day: firstDay },
    from,
    to,
    totals: sumDayTotals(period.totals),
    ...(comparison === undefined
      ? { previous: null, change: null }
      : await compareWithEarlierPeriod(context, comparison, period.totals)),
    visitors_now: visitorsNow,
    series: createSeries(interval, slots, findRunningSlot(request, interval, site.timeZone, now)),
    panels,
  }
}

async function readPeriod(
  { q, site, conditions }: OverviewContext,
  { from, to }: DateRange,
  parts: RequestedParts,
): Promise<PeriodStatistics> {
  const days: WebsiteDays = { websiteId: site.id, from, to }
  if (conditions !== undefined) return readFilteredStatistics(q, days, conditions, parts)
  return {
    totals: await readDayTotals(q, days),
    counts: parts.panels ? await readDimensionCounts(q, days, dimensionNames) : new Map(),
    hours: parts.hours ? await readHourStatistics(q, days) : createHourStatistics(),
  }
}

async function compareWithEarlierPeriod(
  context: OverviewContext,
  comparison: Comparison,
  currentDays: readonly DayTotalsRow[],
): Promise<Pick<StatisticsOverview, 'previous' | 'change'>> {
  const { site, request } = context
  const { interval } = request
  const shiftDay = createDayShift(request, comparison)
  const range = { from: shiftDay(request.from), to: shiftDay(request.to) }
  const period = await readPeriod(context, range, { panels: false, hours: interval === 'hour' })
  const slots =
    interval === 'hour'
      ? countByHour(site.timeZone, range, period.hours)
      : countBySlot(listComparedSlots(request, range, interval, shiftDay), period.totals)
  const { until, previousDays, compared } = await limitToElapsedPart(context, currentDays, period.totals, shiftDay)
  return {
    previous: {
      ...range,
      until: until?.toISOString() ?? null,
      totals: sumDayTotals(previousDays),
      series: createSeries(interval, slots, null),
    },
    change: computePercentChanges(sumDayTotals(compared.currentDays), sumDayTotals(compared.previousDays)),
  }
}

interface ComparedDays {
  currentDays: readonly DayTotalsRow[]
  previousDays: readonly DayTotalsRow[]
}

interface ElapsedPart {
  /** Undefined if the whole earlier period counts. */
  until?: Date
  previousDays: readonly DayTotalsRow[]
  compared: ComparedDays
}

/**
 * If the range contains today, only a part of it has passed. Then the same part of the earlier period counts: until the day
 * that corresponds to today, at the same time of the day.
 *
 * If not all visits of that day are stored, it can't be divided, so the whole earlier period counts. The change then leaves out
 * this day and today, because comparing a few hours with a whole day would always look like a loss.
 */
async function limitToElapsedPart(
  { q, site, request, conditions, now }: OverviewContext,
  currentDays: readonly DayTotalsRow[],
  previousDays: readonly DayTotalsRow[],
  shiftDay: (day: string) => string,
): Promise<ElapsedPart> {
  const today = localDayAt(site.timeZone, now.getTime()).day
  if (today < request.from || today > request.to) return { previousDays, compared: { currentDays, previousDays } }
  const lastDay = shiftDay(today)
  const until = findSameTimeOnDay(site.timeZone, now, lastDay)
  const earlierDays = previousDays.filter(({ day }) => day < lastDay)
  const compareUntil = (days: readonly DayTotalsRow[]): ElapsedPart => ({
    until,
    previousDays: days,
    compared: { currentDays, previousDays: days },
  })
  const wholeLastDay = previousDays.find(({ day }) => day === lastDay)
  if (wholeLastDay === undefined) return compareUntil(earlierDays)
  const partialDay = { websiteId: site.id, day: lastDay, until }
  // Filtered statistics count only stored visits, so their days can always be divided.
  if (conditions !== undefined) {
    return compareUntil([...earlierDays, await countMatchingDayUntil(q, partialDay, conditions)])
  }
  const { storedVisits, ...elapsedPartOfDay } = await countDayUntil(q, partialDay)
  if (storedVisits === wholeLastDay.visits) return compareUntil([...earlierDays, elapsedPartOfDay])
  const finishedDays = currentDays.filter(({ day }) => day < today)
  return { previousDays, compared: { currentDays: finishedDays, previousDays: earlierDays } }
}
