/** Questions about the traffic of a website. Whatever was acknowledged before a question is in its answer. */

import { after, type Clock } from '../../lib/clock.ts'
import { foldCase } from '../../lib/fold-case.ts'
import { Turns } from '../../lib/turns.ts'
import type { Queries } from '../../storage/client.ts'
import type { Database } from '../../storage/database.ts'
import type { TenantId } from '../../storage/tenant.ts'
import { continentOf } from '../collect/continents.ts'
import { type Dimension, kindOfValue, type PanelDimension } from '../dimensions.ts'
import type { Sums } from '../packed.ts'
import type { Rollup } from '../rollup/rollup.ts'
import {
  type Days,
  findValues,
  listValues,
  nameValues,
  readHours,
  readSums,
  readTotals,
  readVisitorsNow,
} from './counts-store.ts'
import { addUpTotals, changeOf, daySeries, hourSeries, previousOf, type Range } from './figures.ts'
import { type Condition, type Filtered, readFiltered, type Wanted } from './filtered-store.ts'
import { type Filter, likeOf, matcherOf } from './filters.ts'
import { largest, rank } from './ranking.ts'
import { type Overview, type PanelName, panelNames, type SeriesName, type StatisticsRow } from './schema.ts'

export type { Range } from './figures.ts'

export interface Site {
  id: number
  userId: number
  domain: string
  timeZone: string
}

/** Its owner, anybody at all, or this server itself for a report. Whether they may has been found out before. */
export type Reader = { kind: 'owner'; caller: TenantId } | { kind: 'guest' } | { kind: 'server' }

export interface PanelQuestion extends Range {
  name: PanelName
  search: string
  sortBy: 'count' | 'value'
  direction: 'asc' | 'desc'
  limit: number
  offset: number
  filters: readonly Filter[]
}

const NOW_MS = 5 * 60_000
const PANEL_ROWS = 10
/** Questions that read events, at a time. */
const SLOW_AT_ONCE = 2

const panelDimensions = panelNames.filter((name): name is PanelDimension => name !== 'continent')

export class Statistics {
  readonly #needs: { db: Database; clock: Clock; rollup: Rollup }
  readonly #slow = new Turns(SLOW_AT_ONCE)

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
      const sums = await this.#sumsOf(q, site, question, dimension)
      return question.name === 'continent'
        ? pageOf(await continents(q, site, sums), question)
        : panelPage(q, site, sums, dimension, question)
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
    return filters.length === 0 ? ask() : this.#slow.take(site.id, ask)
  }

  async #sumsOf(q: Queries, site: Site, question: PanelQuestion, dimension: PanelDimension): Promise<Sums> {
    const days = { websiteId: site.id, from: question.from, to: question.to }
    const filtered = await filter(q, days, question.filters, { panels: true, hours: false })
    const sums = filtered?.sums ?? (await readSums(q, days, [dimension]))
    return sums.get(dimension) ?? new Map()
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
    const sums = filtered?.sums ?? (await readSums(q, days, panelDimensions))
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
      panels: await topRows(q, site, sums),
    }
  }
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

/** The ten largest of every panel; their names are looked up all at once. */
async function topRows(q: Queries, site: Site, sums: ReadonlyMap<Dimension, Sums>): Promise<Overview['panels']> {
  const tops = panelDimensions.map((name) => ({ name, top: largest(sums.get(name) ?? new Map(), PANEL_ROWS) }))
  const names = await nameValues(q, site.id, [...new Set(tops.flatMap(({ top }) => top.map(({ id }) => id)))])
  const rowsOf = tops.map(({ name, top }): [PanelName, StatisticsRow[]] => [
    name,
    top.map(({ id, count }) => ({ value: names.get(id) ?? '', count })),
  ])
  const byContinent = await continents(q, site, sums.get('country') ?? new Map())
  return Object.fromEntries([...rowsOf, ['continent', byContinent.sort(byCount)]]) as Overview['panels']
}

/** Somebody is in one country a day, so countries add up to continents. */
async function continents(q: Queries, site: Site, sums: Sums): Promise<StatisticsRow[]> {
  const names = await nameValues(q, site.id, [...sums.keys()])
  const found = new Map<string, number>()
  for (const [id, count] of sums) {
    const continent = continentOf(names.get(id) ?? '')
    if (continent !== undefined && count > 0) found.set(continent, (found.get(continent) ?? 0) + count)
  }
  return [...found].map(([value, count]) => ({ value, count }))
}

async function panelPage(q: Queries, site: Site, sums: Sums, dimension: PanelDimension, question: PanelQuestion) {
  const { search, sortBy, direction, limit, offset } = question
  if (search === '' && sortBy === 'count' && direction === 'desc') {
    const ranked = rank(sums)
    const shown = ranked.slice(offset, offset + limit)
    const names = await nameValues(
      q,
      site.id,
      shown.map(({ id }) => id),
    )
    return { rows: shown.map(({ id, count }) => ({ value: names.get(id) ?? '', count })), total: ranked.length }
  }
  const names = await listValues(q, site.id, kindOfValue(dimension))
  const rows = rank(sums).map(({ id, count }) => ({ value: names.get(id) ?? '', count }))
  return pageOf(rows, question)
}

function pageOf(rows: readonly StatisticsRow[], { search, sortBy, direction, limit, offset }: PanelQuestion) {
  const term = foldCase(search)
  const found = term === '' ? [...rows] : rows.filter(({ value }) => foldCase(value).includes(term))
  found.sort(sortBy === 'count' ? byCount : byValue)
  if (direction === (sortBy === 'count' ? 'asc' : 'desc')) found.reverse()
  return { rows: found.slice(offset, offset + limit), total: found.length }
}

const byCount = (one: StatisticsRow, other: StatisticsRow) => other.count - one.count || byValue(one, other)
const byValue = (one: StatisticsRow, other: StatisticsRow) => (one.value < other.value ? -1 : 1)
