/** Statistics of a website. They include every event that was acknowledged before the request. */
import type { Clock } from '../../lib/clock.ts'
import { ConcurrencyLimiter } from '../../lib/concurrency-limiter.ts'
import { localDayAt } from '../../lib/local-day.ts'
import { unavailable } from '../../lib/problem.ts'
import type { SeriesInterval } from '../../shared/statistics.ts'
import { MINUTE_MS } from '../../shared/time.ts'
import type { Database } from '../../storage/database.ts'
import type { Tenant, TenantId } from '../../storage/tenant.ts'
import type { TransactionQueries } from '../../storage/transaction.ts'
import { createTotals, type FilterCondition, selectsByEvent } from '../counting/question.ts'
import { type Dimension, dimensionNames } from '../model/dimensions.ts'
import type { Rollup } from '../rollup/rollup.ts'
import type { TrafficThreads } from '../threads/traffic-threads.ts'
import { type Counting, countDays } from './count-days.ts'
import { DayCountsCache } from './day-counts-cache.ts'
import {
  type Comparison,
  computePercentChanges,
  countByHour,
  countBySlot,
  createDaySeries,
  createDayShift,
  createHourSeries,
  createSeries,
  type DateRange,
  findRunningSlot,
  findSameTimeOnDay,
  listComparedSlots,
  listSlots,
  sum,
  sumDayTotals,
} from './figures.ts'
import {
  addVisitHours,
  type PeriodStatistics,
  type RequestedParts,
  readFilterConditions,
  readFilteredStatistics,
  toTotalsRow,
} from './filtered.ts'
import type { StatisticsFilter } from './filters.ts'
import { createDetailsFinder, readPanelDetails } from './panel-details.ts'
import {
  createPanelExport,
  type PanelData,
  type PanelExport,
  type PanelPageQuery,
  type PanelQuery,
  rankPanelValues,
  readPanelPage,
  readTopRows,
} from './panels.ts'
import type { SeriesName, StatisticsListRow, StatisticsOverview, StatisticsRow } from './schema.ts'
import {
  createHourStatistics,
  type DayTotalsRow,
  type HourStatistics,
  readDayTotals,
  readDimensionCounts,
  readHourCounts,
  readStoredHours,
  readValuesById,
  readWebsiteFacts,
  type WebsiteDays,
} from './store.ts'

export interface StatisticsSite {
  id: number
  teamId: number
  domain: string
  timeZone: string
}

/** A member of the team, an anonymous visitor, or the server itself, which writes the weekly report. `access.ts` decides who may read. */
export type StatisticsReader = { kind: 'member'; caller: TenantId } | { kind: 'visitor' } | { kind: 'server' }

interface FilteredRequest {
  filters: readonly StatisticsFilter[]
}
type SeriesRequest = DateRange & FilteredRequest & { name: SeriesName }

const CONTINENT_COUNT = 7
/** Reading the visits or events of many days takes long, so only a few such requests run at a time. */
const MAX_CONCURRENT_VISIT_READS = 4
const MAX_WAITING_READS_PER_WEBSITE = 10

interface Deps {
  db: Database
  clock: Clock
  rollup: Rollup
  threads: TrafficThreads
}

export class Statistics {
  readonly #deps: Deps
  readonly #limiter = new ConcurrencyLimiter(MAX_CONCURRENT_VISIT_READS)
  readonly #waitingReadsByWebsite = new Map<number, number>()
  readonly #counting: Counting

  constructor(deps: Deps) {
    this.#deps = deps
    this.#counting = { threads: deps.threads, cache: new DayCountsCache() }
  }

  overview(reader: StatisticsReader, site: StatisticsSite, request: OverviewRequest): Promise<StatisticsOverview> {
    return this.#read(reader, site, request, (q) =>
      readOverview({ q, counting: this.#counting }, site, request, this.#deps.clock.now()),
    )
  }

  panel(
    reader: StatisticsReader,
    site: StatisticsSite,
    query: PanelPageQuery,
  ): Promise<{ rows: StatisticsListRow[]; total: number }> {
    return this.#read(reader, site, query, async (q) => {
      const dimension = query.name === 'continent' ? 'country' : query.name
      return readPanelPage(
        q,
        site.id,
        await readPanelData({ q, counting: this.#counting }, site, query, dimension),
        query,
      )
    })
  }

  /** Ranks the rows of a panel. Their texts are read later, page by page, so that a slow reader holds no connection. */
  async exportPanel(reader: StatisticsReader, site: StatisticsSite, query: PanelQuery): Promise<PanelExport> {
    const { name } = query
    if (name === 'continent') {
      const { rows, total } = await this.panel(reader, site, { ...query, limit: CONTINENT_COUNT, offset: 0 })
      return { total, pages: [rows] }
    }
    const { rankedValues, findDetails } = await this.#read(reader, site, query, async (q) => {
      const data = await readPanelData({ q, counting: this.#counting }, site, query, name)
      return { ...data, rankedValues: await rankPanelValues(q, site.id, data, { ...query, name }) }
    })
    return createPanelExport(rankedValues, findDetails, (ids) => readValuesById(this.#open(reader, site), site.id, ids))
  }

  series(reader: StatisticsReader, site: StatisticsSite, request: SeriesRequest): Promise<StatisticsRow[]> {
    return this.#read(reader, site, request, async (q) => {
      const { name, filters, from, to } = request
      const days = { websiteId: site.id, from, to }
      const isHourly = name === 'visitors_hours' || name === 'pageviews_hours'
      const filteredStatistics = await readFilteredIfAny({ q, counting: this.#counting }, days, filters, {
        panels: [],
        totals: !isHourly,
        hours: isHourly,
      })
      if (isHourly) {
        const column = name === 'visitors_hours' ? 'visitor_hours' : 'view_hours'
        return createHourSeries(
          site.timeZone,
          days,
          filteredStatistics?.hours[column] ?? (await readHourCounts(q, days, column)),
        )
      }
      const totals = filteredStatistics?.totals ?? (await readDayTotals(q, days))
      const totalName = name === 'visitors' ? 'visitors' : 'views'
      return createDaySeries(days, new Map(totals.map((day) => [day.day, day[totalName]])))
    })
  }

  /** Reads everything from one snapshot of the database. */
  async #read<T>(
    reader: StatisticsReader,
    site: StatisticsSite,
    request: FilteredRequest & Partial<OverviewRequest & Pick<PanelQuery, 'hasDetails'>>,
    read: (q: TransactionQueries) => Promise<T>,
  ): Promise<T> {
    await this.#deps.rollup.rollUpWebsite(site.id)
    const readSnapshot = () => this.#open(reader, site).snapshot(read)
    return countsVisitsOneByOne(request) ? this.#runLimited(site.id, readSnapshot) : readSnapshot()
  }

  #open(reader: StatisticsReader, site: StatisticsSite): Database | Tenant {
    const { db } = this.#deps
    if (reader.kind === 'server') return db
    return reader.kind === 'visitor' ? db.asVisitor(site.teamId, site.id) : db.asMember(reader.caller, site.id)
  }

  /** Rejects requests that arrive faster than they can be answered, instead of queueing hours of work. */
  async #runLimited<T>(websiteId: number, work: () => Promise<T>): Promise<T> {
    const waitingCount = this.#waitingReadsByWebsite.get(websiteId) ?? 0
    if (waitingCount >= MAX_WAITING_READS_PER_WEBSITE) {
      throw unavailable(
        'Too many requests with filters, with details or by hour for this website. Try again in a few seconds.',
      )
    }
    this.#waitingReadsByWebsite.set(websiteId, waitingCount + 1)
    try {
      return await this.#limiter.run(websiteId, work)
    } finally {
      const remainingCount = (this.#waitingReadsByWebsite.get(websiteId) ?? 1) - 1
      if (remainingCount > 0) this.#waitingReadsByWebsite.set(websiteId, remainingCount)
      else this.#waitingReadsByWebsite.delete(websiteId)
    }
  }
}

function countsVisitsOneByOne({
  filters,
  interval,
  from,
  to,
  hasDetails = false,
}: FilteredRequest & Partial<OverviewRequest & Pick<PanelQuery, 'hasDetails'>>): boolean {
  return filters.length > 0 || hasDetails || (interval === 'hour' && from !== to)
}

/** What reading statistics needs. */
interface Source {
  q: TransactionQueries
  counting: Counting
}

async function readPanelData(
  { q, counting }: Source,
  site: StatisticsSite,
  { from, to, filters, hasDetails }: PanelQuery,
  dimension: Dimension,
): Promise<PanelData> {
  const days = { websiteId: site.id, from, to }
  if (hasDetails) return readDetailedPanel({ q, counting }, days, filters, dimension)
  const filteredStatistics = await readFilteredIfAny({ q, counting }, days, filters, {
    panels: [dimension],
    totals: false,
    hours: false,
  })
  const counts = filteredStatistics?.counts ?? (await readDimensionCounts(q, days, [dimension]))
  return { counts: counts.get(dimension) ?? new Map(), findDetails: undefined }
}

/**
 * Filtered statistics count only stored visits, and so do details. Without filters, details are known only if all visits
 * of the range are stored.
 */
async function readDetailedPanel(
  { q, counting }: Source,
  days: WebsiteDays,
  filters: readonly StatisticsFilter[],
  dimension: Dimension,
): Promise<PanelData> {
  const conditionsPromise = readFilterConditions(q, days.websiteId, filters)
  const details = await readPanelDetails(q, counting, days, conditionsPromise, dimension)
  if (filters.length > 0) return { counts: details.counts, findDetails: createDetailsFinder(dimension, details) }
  const [totals, counts] = await Promise.all([readDayTotals(q, days), readDimensionCounts(q, days, [dimension])])
  const visitCount = sum(totals, ({ visits }) => visits)
  return {
    counts: counts.get(dimension) ?? new Map(),
    findDetails: createDetailsFinder(dimension, details.visitCount === visitCount ? details : undefined),
  }
}

/** Returns undefined if there are no filters. */
async function readFilteredIfAny(
  { q, counting }: Source,
  days: WebsiteDays,
  filters: readonly StatisticsFilter[],
  parts: RequestedParts,
): Promise<PeriodStatistics | undefined> {
  if (filters.length === 0) return undefined
  return readFilteredStatistics(q, counting, days, readFilterConditions(q, days.websiteId, filters), parts)
}

interface OverviewRequest extends DateRange {
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
interface OverviewContext extends Source {
  site: OverviewSite
  request: OverviewRequest
  conditionsPromise: Promise<readonly FilterCondition[]>
  now: Date
}

/** A visitor counts as present for this long after their last event. */
export const VISITORS_NOW_WINDOW_MS = 5 * MINUTE_MS

/** Reads totals, series and panels of a range, and the period that it is compared with. */
async function readOverview(
  { q, counting }: Source,
  site: OverviewSite,
  request: OverviewRequest,
  now: Date,
): Promise<StatisticsOverview> {
  const { from, to, interval, comparison } = request
  const conditionsPromise = readFilterConditions(q, site.id, request.filters)
  const context: OverviewContext = { q, counting, site, request, conditionsPromise, now }
  const [period, { visitorsNow, firstDay }] = await Promise.all([
    readPeriod(context, request, { panels: dimensionNames, totals: true, hours: interval === 'hour' }),
    readWebsiteFacts(q, site.id, new Date(now.getTime() - VISITORS_NOW_WINDOW_MS)),
  ])
  const slots =
    interval === 'hour'
      ? countByHour(site.timeZone, request, period.hours)
      : countBySlot(listSlots(request, interval), period.totals)
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
  { q, counting, site, request, conditionsPromise }: OverviewContext,
  { from, to }: DateRange,
  parts: RequestedParts,
): Promise<PeriodStatistics> {
  const days: WebsiteDays = { websiteId: site.id, from, to }
  if (request.filters.length > 0) return readFilteredStatistics(q, counting, days, conditionsPromise, parts)
  const [totals, counts, hours] = await Promise.all([
    readDayTotals(q, days),
    parts.panels.length > 0 ? readDimensionCounts(q, days, parts.panels) : new Map(),
    parts.hours ? readHourStatistics({ q, counting }, days) : createHourStatistics(),
  ])
  return { totals, counts, hours }
}

/**
 * Counts stored visits and custom events one by one. They are deleted after BELFRY_EVENT_DAYS, so older days have none
 * by hour.
 */
async function readHourStatistics({ q, counting }: Source, days: WebsiteDays): Promise<HourStatistics> {
  const question = { kind: 'statistics', conditions: [], panels: [], totals: false, hours: true } as const
  const [statistics, countsByDay] = await Promise.all([
    readStoredHours(q, days),
    countDays(q, counting, days, question),
  ])
  for (const [day, { hours }] of countsByDay) {
    if (hours === undefined) continue
    addVisitHours(statistics, day, hours, true)
    statistics.event_hours.set(day, new Map([...hours.event_hours.entries()].filter(([, count]) => count > 0)))
  }
  return statistics
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
  const period = await readPeriod(context, range, { panels: [], totals: true, hours: interval === 'hour' })
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
 * If the range contains today, only a part of it has passed. Then only the same part of the earlier period counts. It ends on
 * the day that corresponds to today, at the current time of day.
 *
 * If not all visits of that day are stored, the day can't be divided, so the whole earlier period counts. Then the change is
 * computed without that day and without today, because comparing a few hours with a whole day would always look like a loss.
 */
async function limitToElapsedPart(
  { q, counting, site, request, conditionsPromise, now }: OverviewContext,
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
  const partialDay = { websiteId: site.id, from: lastDay, to: lastDay }
  const conditions = await conditionsPromise
  const question = { kind: 'until', conditions, until: until.getTime() } as const
  const { totals = createTotals(), storedVisits = 0 } =
    (await countDays(q, counting, partialDay, question)).get(lastDay) ?? {}
  const elapsedPartOfDay = toTotalsRow(lastDay, totals, !selectsByEvent(conditions))
  // Filtered statistics count only stored visits, so their days can always be divided.
  if (request.filters.length > 0 || storedVisits === wholeLastDay.visits) {
    return compareUntil([...earlierDays, elapsedPartOfDay])
  }
  const finishedDays = currentDays.filter(({ day }) => day < today)
  return { previousDays, compared: { currentDays: finishedDays, previousDays: earlierDays } }
}
