/** Questions about the traffic of a website. Whatever was acknowledged before a question is in its answer. */

import { after, type Clock } from '../../lib/clock.ts'
import { unavailable } from '../../lib/problem.ts'
import { Turns } from '../../lib/turns.ts'
import type { Queries } from '../../storage/client.ts'
import type { Database } from '../../storage/database.ts'
import type { TenantId } from '../../storage/tenant.ts'
import { continentOf } from '../model/continents.ts'
import { kindOfValue, type PanelDimension, panelDimensions } from '../model/dimensions.ts'
import type { Counts } from '../packing/number-table.ts'
import type { Rollup } from '../rollup/rollup.ts'
import {
  type Days,
  findValues,
  listValues,
  readCounts,
  readHours,
  readTotals,
  readVisitorsNow,
} from './counts-store.ts'
import { addUpTotals, changeOf, daySeries, hourSeries, previousOf, type Range } from './figures.ts'
import { type Filtered, readFiltered } from './filtered.ts'
import type { Condition, Wanted } from './filtered-store.ts'
import { type Filter, likeOf, matcherOf } from './filters.ts'
import { type PanelQuestion, panelPage, topRows } from './panels.ts'
import type { Overview, SeriesName, StatisticsRow } from './schema.ts'

export type { Range } from './figures.ts'

export interface Site {
  id: number
  userId: number
  domain: string
  timeZone: string
}

/** Its owner, anybody at all, or this server itself for a report. Whether they may has been found out before. */
export type Reader = { kind: 'owner'; caller: TenantId } | { kind: 'guest' } | { kind: 'server' }

/** Whoever did something since is there now. */
export const NOW_MS = 5 * 60_000
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
    reader: Reader,
    site: Site,
    question: Range & { compare: boolean; filters: readonly Filter[] },
  ): Promise<Overview> {
    return this.#ask(reader, site, question.filters, (q) => this.#overview(q, site, question))
  }

  panel(reader: Reader, site: Site, question: PanelQuestion): Promise<{ rows: StatisticsRow[]; total: number }> {
    return this.#ask(reader, site, question.filters, async (q) => {
      const dimension = question.name === 'continent' ? 'country' : question.name
      return panelPage(q, site.id, await countsOf(q, site, question, dimension), question)
    })
  }

  series(
    reader: Reader,
    site: Site,
    question: Range & { name: SeriesName; filters: readonly Filter[] },
  ): Promise<StatisticsRow[]> {
    return this.#ask(reader, site, question.filters, async (q) => {
      const days = { websiteId: site.id, ...question }
      const { name } = question
      const hours = name === 'visitors_hours' || name === 'pageviews_hours'
      const filtered = await filter(q, days, question.filters, { panels: false, hours })
      if (hours) {
        const dimension = name === 'visitors_hours' ? 'visitor_hours' : 'view_hours'
        return hourSeries(site.timeZone, question, filtered?.hours[dimension] ?? (await readHours(q, days, dimension)))
      }
      const totals = filtered?.totals ?? (await readTotals(q, days))
      const pick = name === 'visitors' ? 'visitors' : 'views'
      return daySeries(question, new Map(totals.map((day) => [day.day, day[pick]])))
    })
  }

  /** Everything is read as it was at one moment. */
  async #ask<T>(
    reader: Reader,
    site: Site,
    filters: readonly Filter[],
    answer: (q: Queries) => Promise<T>,
  ): Promise<T> {
    const { db, rollup } = this.#needs
    await rollup.addUpFor(site.id)
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
    site: Site,
    { from, to, compare, filters }: Range & { compare: boolean; filters: readonly Filter[] },
  ): Promise<Overview> {
    const days: Days = { websiteId: site.id, from, to }
    const earlier = previousOf(days)
    const isOneDay = from === to
    const filtered = await filter(q, days, filters, { panels: true, hours: isOneDay })
    const totals = filtered?.totals ?? (await readTotals(q, days))
    const before = compare ? await totalsBefore(q, { ...days, ...earlier }, filters) : undefined
    const now = addUpTotals(totals)
    const counts = filtered?.counts ?? (await readCounts(q, days, panelDimensions))
    const byDay = (name: 'visitors' | 'views') => new Map(totals.map((day) => [day.day, day[name]]))
    const seriesOf = async (name: 'visitor_hours' | 'view_hours') =>
      isOneDay
        ? hourSeries(site.timeZone, days, filtered?.hours[name] ?? (await readHours(q, days, name)))
        : daySeries(days, byDay(name === 'visitor_hours' ? 'visitors' : 'views'))
    return {
      website: { id: site.id, domain: site.domain, time_zone: site.timeZone },
      from,
      to,
      totals: now,
      previous: before === undefined ? null : { ...earlier, totals: before },
      change: before === undefined ? null : changeOf(now, before),
      visitors_now: await readVisitorsNow(q, site.id, after(this.#needs.clock.now(), -NOW_MS)),
      series: {
        unit: isOneDay ? 'hour' : 'day',
        visitors: await seriesOf('visitor_hours'),
        pageviews: await seriesOf('view_hours'),
      },
      panels: await topRows(q, site.id, counts),
    }
  }
}

async function countsOf(q: Queries, site: Site, question: PanelQuestion, dimension: PanelDimension): Promise<Counts> {
  const days = { websiteId: site.id, from: question.from, to: question.to }
  const filtered = await filter(q, days, question.filters, { panels: true, hours: false })
  const counts = filtered?.counts ?? (await readCounts(q, days, [dimension]))
  return counts.get(dimension) ?? new Map()
}

async function totalsBefore(q: Queries, days: Days, filters: readonly Filter[]) {
  const filtered = await filter(q, days, filters, { panels: false, hours: false })
  return addUpTotals(filtered?.totals ?? (await readTotals(q, days)))
}

/** undefined: nothing is filtered. */
async function filter(
  q: Queries,
  days: Days,
  filters: readonly Filter[],
  wanted: Wanted,
): Promise<Filtered | undefined> {
  if (filters.length === 0) return undefined
  const conditions: Condition[] = []
  for (const [name, alternatives] of Map.groupBy(filters, (given) => given.name)) {
    const patterns = alternatives.map(({ pattern }) => pattern)
    conditions.push(
      name === 'continent'
        ? { name: 'country', ids: await countriesIn(q, days.websiteId, patterns) }
        : { name, ids: await findValues(q, days.websiteId, kindOfValue(name), patterns.map(likeOf)) },
    )
  }
  return readFiltered(q, days, conditions, wanted)
}

async function countriesIn(q: Queries, websiteId: number, patterns: readonly string[]): Promise<number[]> {
  const fits = patterns.map(matcherOf)
  const countries = await listValues(q, websiteId, 'country')
  return [...countries].flatMap(([id, code]) => {
    const continent = continentOf(code)
    return continent !== undefined && fits.some((matches) => matches(continent)) ? [id] : []
  })
}
