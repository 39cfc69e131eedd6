/** Questions about the traffic of a website. Whatever was acknowledged before a question is in its answer. */

import { after, type Clock } from '../../lib/clock.ts'
import { unavailable } from '../../lib/problem.ts'
import { Turns } from '../../lib/turns.ts'
import type { Queries } from '../../storage/client.ts'
import type { Database } from '../../storage/database.ts'
import type { TenantId } from '../../storage/tenant.ts'
import { continentOf } from '../model/continents.ts'
import { kindOfValue, type PanelDimension, panelDimensions } from '../model/dimensions.ts'
import type { ReadableCounts } from '../packing/count-table.ts'
import type { Rollup } from '../rollup/rollup.ts'
import {
  countVisitorsSince,
  findMatchingValueIds,
  readDayTotals,
  readDimensionCounts,
  readHourCounts,
  readValues,
  type WebsiteDays,
} from './counts-store.ts'
import { type DateRange, daySeries, hourSeries, percentChanges, previousRange, sumDayTotals } from './figures.ts'
import { type FilteredStatistics, readFilteredStatistics } from './filtered.ts'
import type { FilterCondition, FilteredParts } from './filtered-store.ts'
import { createMatcher, type StatisticsFilter, toLikePattern } from './filters.ts'
import { type PanelQuery, readPanelPage, readTopRows } from './panels.ts'
import type { SeriesName, StatisticsOverview, StatisticsRow } from './schema.ts'

export type { DateRange } from './figures.ts'

export interface StatisticsSite {
  id: number
  userId: number
  domain: string
  timeZone: string
}

/** Its owner, anybody at all, or this server itself for a report. Whether they may has been found out before. */
export type StatisticsReader = { kind: 'owner'; caller: TenantId } | { kind: 'guest' } | { kind: 'server' }

/** Whoever did something since is there now. */
export const VISITORS_NOW_MS = 5 * 60_000
/** Questions that read events, at a time; and of one website that may wait. */
const SLOW_AT_ONCE = 2
const SLOW_WAITING_MOST = 10

export class Statistics {
  readonly #needs: { db: Database; clock: Clock; rollup: Rollup }
  readonly #slow = new Turns(SLOW_AT_ONCE)
  /** By website. */
  readonly #waiting = new Map<number, number>()

  constructor(needs: { db: Database; clock: Clock; rollup: Rollup }) {
    this.#needs = needs
  }

  overview(
    reader: StatisticsReader,
    site: StatisticsSite,
    question: DateRange & { compare: boolean; filters: readonly StatisticsFilter[] },
  ): Promise<StatisticsOverview> {
    return this.#ask(reader, site, question.filters, (q) => this.#overview(q, site, question))
  }

  panel(
    reader: StatisticsReader,
    site: StatisticsSite,
    question: PanelQuery,
  ): Promise<{ rows: StatisticsRow[]; total: number }> {
    return this.#ask(reader, site, question.filters, async (q) => {
      const dimension = question.name === 'continent' ? 'country' : question.name
      return readPanelPage(q, site.id, await countsOf(q, site, question, dimension), question)
    })
  }

  series(
    reader: StatisticsReader,
    site: StatisticsSite,
    question: DateRange & { name: SeriesName; filters: readonly StatisticsFilter[] },
  ): Promise<StatisticsRow[]> {
    return this.#ask(reader, site, question.filters, async (q) => {
      const days = { websiteId: site.id, ...question }
      const { name } = question
      const hours = name === 'visitors_hours' || name === 'pageviews_hours'
      const filtered = await filter(q, days, question.filters, { panels: false, hours })
      if (hours) {
        const dimension = name === 'visitors_hours' ? 'visitor_hours' : 'view_hours'
        return hourSeries(
          site.timeZone,
          question,
          filtered?.hours[dimension] ?? (await readHourCounts(q, days, dimension)),
        )
      }
      const totals = filtered?.totals ?? (await readDayTotals(q, days))
      const pick = name === 'visitors' ? 'visitors' : 'views'
      return daySeries(question, new Map(totals.map((day) => [day.day, day[pick]])))
    })
  }

  /** Everything is read as it was at one moment. */
  async #ask<T>(
    reader: StatisticsReader,
    site: StatisticsSite,
    filters: readonly StatisticsFilter[],
    answer: (q: Queries) => Promise<T>,
  ): Promise<T> {
    const { db, rollup } = this.#needs
    await rollup.rollUpWebsite(site.id)
    const ask = () => {
      if (reader.kind === 'server') return db.snapshot(answer)
      if (reader.kind === 'guest') return db.asGuest(site.userId, site.id).snapshot(answer)
      return db.asReader(reader.caller, site.id).snapshot(answer)
    }
    return filters.length === 0 ? ask() : this.#inTurn(site.id, ask)
  }

  /** Whoever asks faster than can be answered is told so, and does not pile up work for hours. */
  async #inTurn<T>(websiteId: number, ask: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(websiteId) ?? 0
    if (waiting >= SLOW_WAITING_MOST) throw unavailable('Too many filtered questions at once.')
    this.#waiting.set(websiteId, waiting + 1)
    try {
      return await this.#slow.take(websiteId, ask)
    } finally {
      const left = (this.#waiting.get(websiteId) ?? 1) - 1
      if (left > 0) this.#waiting.set(websiteId, left)
      else this.#waiting.delete(websiteId)
    }
  }

  async #overview(
    q: Queries,
    site: StatisticsSite,
    { from, to, compare, filters }: DateRange & { compare: boolean; filters: readonly StatisticsFilter[] },
  ): Promise<StatisticsOverview> {
    const days: WebsiteDays = { websiteId: site.id, from, to }
    const earlier = previousRange(days)
    const isOneDay = from === to
    const filtered = await filter(q, days, filters, { panels: true, hours: isOneDay })
    const totals = filtered?.totals ?? (await readDayTotals(q, days))
    const before = compare ? await totalsBefore(q, { ...days, ...earlier }, filters) : undefined
    const now = sumDayTotals(totals)
    const counts = filtered?.counts ?? (await readDimensionCounts(q, days, panelDimensions))
    const byDay = (name: 'visitors' | 'views') => new Map(totals.map((day) => [day.day, day[name]]))
    const seriesOf = async (name: 'visitor_hours' | 'view_hours') =>
      isOneDay
        ? hourSeries(site.timeZone, days, filtered?.hours[name] ?? (await readHourCounts(q, days, name)))
        : daySeries(days, byDay(name === 'visitor_hours' ? 'visitors' : 'views'))
    return {
      website: { id: site.id, domain: site.domain, time_zone: site.timeZone },
      from,
      to,
      totals: now,
      previous: before === undefined ? null : { ...earlier, totals: before },
      change: before === undefined ? null : percentChanges(now, before),
      visitors_now: await countVisitorsSince(q, site.id, after(this.#needs.clock.now(), -VISITORS_NOW_MS)),
      series: {
        unit: isOneDay ? 'hour' : 'day',
        visitors: await seriesOf('visitor_hours'),
        pageviews: await seriesOf('view_hours'),
      },
      panels: await readTopRows(q, site.id, counts),
    }
  }
}

async function countsOf(
  q: Queries,
  site: StatisticsSite,
  question: PanelQuery,
  dimension: PanelDimension,
): Promise<ReadableCounts> {
  const days = { websiteId: site.id, from: question.from, to: question.to }
  const filtered = await filter(q, days, question.filters, { panels: true, hours: false })
  const counts = filtered?.counts ?? (await readDimensionCounts(q, days, [dimension]))
  return counts.get(dimension) ?? new Map()
}

async function totalsBefore(q: Queries, days: WebsiteDays, filters: readonly StatisticsFilter[]) {
  const filtered = await filter(q, days, filters, { panels: false, hours: false })
  return sumDayTotals(filtered?.totals ?? (await readDayTotals(q, days)))
}

/** undefined: nothing is filtered. */
async function filter(
  q: Queries,
  days: WebsiteDays,
  filters: readonly StatisticsFilter[],
  wanted: FilteredParts,
): Promise<FilteredStatistics | undefined> {
  if (filters.length === 0) return undefined
  const conditions: FilterCondition[] = []
  for (const [name, alternatives] of Map.groupBy(filters, (given) => given.name)) {
    const patterns = alternatives.map(({ pattern }) => pattern)
    conditions.push(
      name === 'continent'
        ? { name: 'country', ids: await countriesIn(q, days.websiteId, patterns) }
        : { name, ids: await findMatchingValueIds(q, days.websiteId, kindOfValue(name), patterns.map(toLikePattern)) },
    )
  }
  return readFilteredStatistics(q, days, conditions, wanted)
}

async function countriesIn(q: Queries, websiteId: number, patterns: readonly string[]): Promise<number[]> {
  const fits = patterns.map(createMatcher)
  const countries = await readValues(q, websiteId, 'country')
  return [...countries].flatMap(([id, code]) => {
    const continent = continentOf(code)
    return continent !== undefined && fits.some((matches) => matches(continent)) ? [id] : []
  })
}
