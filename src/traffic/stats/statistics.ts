/** Statistics of a website. They include every event that was acknowledged before the request. */

import type { Clock } from '../../lib/clock.ts'
import { ConcurrencyLimiter } from '../../lib/concurrency-limiter.ts'
import { unavailable } from '../../lib/problem.ts'
import type { Queries } from '../../storage/client.ts'
import type { Database } from '../../storage/database.ts'
import type { Tenant, TenantId } from '../../storage/tenant.ts'
import type { Dimension } from '../model/dimensions.ts'
import type { ReadableCounts } from '../packing/count-table.ts'
import type { Rollup } from '../rollup/rollup.ts'
import { readDayTotals, readDimensionCounts, readValuesById, type WebsiteDays } from './counts-store.ts'
import { createDaySeries, createHourSeries, type DateRange } from './figures.ts'
import { readFilterConditions } from './filter-conditions.ts'
import { type PeriodStatistics, readFilteredStatistics } from './filtered.ts'
import type { RequestedParts } from './filtered-store.ts'
import type { StatisticsFilter } from './filters.ts'
import { readHourCounts } from './hours-store.ts'
import { type OverviewRequest, readOverview } from './overview.ts'
import { createPanelExport, type PanelExport } from './panel-export.ts'
import { type PanelPageQuery, type PanelQuery, rankPanelValues, readPanelPage } from './panels.ts'
import type { SeriesName, StatisticsOverview, StatisticsRow } from './schema.ts'

export type { DateRange } from './figures.ts'
export { VISITORS_NOW_WINDOW_MS } from './overview.ts'

export interface StatisticsSite {
  id: number
  userId: number
  domain: string
  timeZone: string
}

/** The owner, a guest, or the server itself, which writes the weekly report. `access.ts` decides who may read. */
export type StatisticsReader = { kind: 'owner'; caller: TenantId } | { kind: 'guest' } | { kind: 'server' }

interface FilteredRequest {
  filters: readonly StatisticsFilter[]
}
type SeriesRequest = DateRange & FilteredRequest & { name: SeriesName }

const CONTINENT_COUNT = 7
/** Reading the visits or events of many days takes long, so only a few such requests run at a time. */
const MAX_CONCURRENT_VISIT_READS = 2
const MAX_WAITING_READS_PER_WEBSITE = 10

interface Deps {
  db: Database
  clock: Clock
  rollup: Rollup
}

export class Statistics {
  readonly #deps: Deps
  readonly #limiter = new ConcurrencyLimiter(MAX_CONCURRENT_VISIT_READS)
  readonly #waitingReadsByWebsite = new Map<number, number>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  overview(reader: StatisticsReader, site: StatisticsSite, request: OverviewRequest): Promise<StatisticsOverview> {
    return this.#read(reader, site, request, (q) => readOverview(q, site, request, this.#deps.clock.now()))
  }

  panel(
    reader: StatisticsReader,
    site: StatisticsSite,
    query: PanelPageQuery,
  ): Promise<{ rows: StatisticsRow[]; total: number }> {
    return this.#read(reader, site, query, async (q) => {
      const dimension = query.name === 'continent' ? 'country' : query.name
      return readPanelPage(q, site.id, await readPanelCounts(q, site, query, dimension), query)
    })
  }

  /** Ranks the rows of a panel. Their texts are read later, page by page, so that a slow reader holds no connection. */
  async exportPanel(reader: StatisticsReader, site: StatisticsSite, query: PanelQuery): Promise<PanelExport> {
    const { name } = query
    if (name === 'continent') {
      const { rows, total } = await this.panel(reader, site, { ...query, limit: CONTINENT_COUNT, offset: 0 })
      return { total, pages: [rows] }
    }
    const rankedValues = await this.#read(reader, site, query, async (q) =>
      rankPanelValues(q, site.id, await readPanelCounts(q, site, query, name), { ...query, name }),
    )
    return createPanelExport(rankedValues, (ids) => readValuesById(this.#open(reader, site), site.id, ids))
  }

  series(reader: StatisticsReader, site: StatisticsSite, request: SeriesRequest): Promise<StatisticsRow[]> {
    return this.#read(reader, site, request, async (q) => {
      const { name, filters, from, to } = request
      const days = { websiteId: site.id, from, to }
      const isHourly = name === 'visitors_hours' || name === 'pageviews_hours'
      const filteredStatistics = await readFilteredIfAny(q, days, filters, { panels: false, hours: isHourly })
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
    request: FilteredRequest & Partial<OverviewRequest>,
    read: (q: Queries) => Promise<T>,
  ): Promise<T> {
    await this.#deps.rollup.rollUpWebsite(site.id)
    const readSnapshot = () => this.#open(reader, site).snapshot(read)
    return countsVisitsOneByOne(request) ? this.#runLimited(site.id, readSnapshot) : readSnapshot()
  }

  #open(reader: StatisticsReader, site: StatisticsSite): Database | Tenant {
    const { db } = this.#deps
    if (reader.kind === 'server') return db
    return reader.kind === 'guest' ? db.asGuest(site.userId, site.id) : db.asWebsiteOwner(reader.caller, site.id)
  }

  /** Rejects requests that arrive faster than they can be answered, instead of queueing hours of work. */
  async #runLimited<T>(websiteId: number, work: () => Promise<T>): Promise<T> {
    const waitingCount = this.#waitingReadsByWebsite.get(websiteId) ?? 0
    if (waitingCount >= MAX_WAITING_READS_PER_WEBSITE) {
      throw unavailable('Too many requests with filters or by hour for this website. Try again in a few seconds.')
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

function countsVisitsOneByOne({ filters, interval, from, to }: FilteredRequest & Partial<OverviewRequest>): boolean {
  return filters.length > 0 || (interval === 'hour' && from !== to)
}

async function readPanelCounts(
  q: Queries,
  site: StatisticsSite,
  { from, to, filters }: PanelQuery,
  dimension: Dimension,
): Promise<ReadableCounts> {
  const days = { websiteId: site.id, from, to }
  const filteredStatistics = await readFilteredIfAny(q, days, filters, { panels: true, hours: false })
  const counts = filteredStatistics?.counts ?? (await readDimensionCounts(q, days, [dimension]))
  return counts.get(dimension) ?? new Map()
}

/** Returns undefined if there are no filters. */
async function readFilteredIfAny(
  q: Queries,
  days: WebsiteDays,
  filters: readonly StatisticsFilter[],
  parts: RequestedParts,
): Promise<PeriodStatistics | undefined> {
  const conditions = await readFilterConditions(q, days.websiteId, filters)
  return conditions && readFilteredStatistics(q, days, conditions, parts)
}
