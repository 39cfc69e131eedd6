/**
 * A website's days as the lines of Plausible's tables. How many there were of everything comes from what days came to; how
 * long visits took, and what goes with what, is known of visits that are still there, and is 0 or empty for the rest.
 */

import { csvLine } from '../../../lib/csv.ts'
import type { Queries } from '../../../storage/client.ts'
import type { PanelDimension } from '../../model/dimensions.ts'
import type { WebsiteDay } from '../../packing/store.ts'
import { type DayTotalsRow, readDimensionCounts, readValues, readValuesById } from '../../stats/counts-store.ts'
import { rankCounts } from '../../stats/ranking.ts'
import { type EventGroup, groupEvents, groupVisits, type VisitColumn, type VisitGroup } from '../export-store.ts'
import { toPlausibleName } from './names.ts'
import { type PlausibleTable, plausibleTables } from './tables.ts'

/** Cells by their column; what is not there stays empty. */
type Row = Record<string, string | number>

export interface ExportedSite {
  id: number
  domain: string
}

/** The header, then the lines of one day after the other. */
export async function* writePlausibleTable(
  q: Queries,
  site: ExportedSite,
  table: PlausibleTable,
  days: readonly DayTotalsRow[],
): AsyncGenerator<{ text: string; rows: number }> {
  yield { text: csvLine(plausibleTables[table]), rows: 0 }
  for (const totals of days) {
    const rows = await rowsOf(q, site, table, totals)
    const lines = rows.map((row) =>
      csvLine(plausibleTables[table].map((column) => (column === 'date' ? totals.day : (row[column] ?? '')))),
    )
    yield { text: lines.join(''), rows: rows.length }
  }
}

async function rowsOf(q: Queries, site: ExportedSite, table: PlausibleTable, totals: DayTotalsRow): Promise<Row[]> {
  const day = { websiteId: site.id, day: totals.day }
  if (table === 'visitors') return [totalsRow(totals)]
  if (table === 'pages') return pageRows(q, day, site.domain)
  if (table === 'custom_events') return eventRows(q, day)
  return visitRows(q, day, visitTables[table])
}

const seconds = (ms: number) => Math.round(ms / 1000)

function totalsRow({ visitors, views, bounces, visits, durationMs }: DayTotalsRow): Row {
  return { visitors, pageviews: views, bounces, visits, visit_duration: seconds(durationMs) }
}

interface VisitTable {
  columns: readonly [VisitColumn & PanelDimension, ...VisitColumn[]]
  cells(first: string, second: string, third: string): Row
}

/** ISO 3166-2; regions without a code have no place there. */
const isCode = /^[A-Z]{2}-[A-Z0-9]{1,3}$/

const visitTables: Record<Exclude<PlausibleTable, 'visitors' | 'pages' | 'custom_events'>, VisitTable> = {
  sources: {
    columns: ['source', 'referrer', 'campaign'],
    cells: (source, referrer, campaign) => ({
      source: toPlausibleName('source', source),
      referrer,
      utm_campaign: campaign,
    }),
  },
  entry_pages: { columns: ['landing_page'], cells: (entry_page) => ({ entry_page }) },
  exit_pages: { columns: ['exit_page'], cells: (exit_page) => ({ exit_page }) },
  locations: {
    columns: ['country', 'region'],
    cells: (country, region) => ({ country, region: isCode.test(region) ? region : '', city: 0 }),
  },
  devices: { columns: ['device'], cells: (device) => ({ device: toPlausibleName('device', device) }) },
  browsers: { columns: ['browser'], cells: (browser) => ({ browser: toPlausibleName('browser', browser) }) },
  operating_systems: { columns: ['os'], cells: (os) => ({ operating_system: toPlausibleName('os', os) }) },
}

async function visitRows(q: Queries, day: WebsiteDay, { columns, cells }: VisitTable): Promise<Row[]> {
  const found = await groupVisits(q, day, columns)
  const rest = await restOf(
    q,
    day,
    columns[0],
    sumBy(found, ({ values: [first], visitors }) => [first ?? 0, visitors]),
  )
  const groups = [...found, ...rest.map(unknownVisits)]
  const ids = new Set(groups.flatMap(({ values }) => values.filter((id) => id !== null)))
  const names = await readValuesById(q, day.websiteId, [...ids])
  return groups.map(({ values, visitors, visits, durationMs, bounces, views }) => {
    const [first = '', second = '', third = ''] = values.map((id) => names.get(id ?? 0) ?? '')
    const figures = { visitors, visits, entrances: visits, exits: visits, bounces, pageviews: views }
    return { ...cells(first, second, third), ...figures, visit_duration: seconds(durationMs) }
  })
}

function unknownVisits({ id, count }: Rest): VisitGroup {
  return { values: [id], visitors: count, visits: count, durationMs: 0, bounces: 0, views: count }
}

async function pageRows(q: Queries, day: WebsiteDay, hostname: string): Promise<Row[]> {
  const groups = await withRest(q, day, 'page', await groupEvents(q, day, 'view'))
  const names = await readValuesById(q, day.websiteId, [...new Set(groups.map(({ value }) => value))])
  return groups.map(({ value, visits, visitors, count }) => ({
    hostname,
    page: names.get(value) ?? '',
    visits,
    visitors,
    pageviews: count,
  }))
}

/** Events that have one property there, by the column and the name that it has. */
const linked: readonly { name: string; column: string; prop: string }[] = [
  { name: 'Outbound Link: Click', column: 'link_url', prop: 'url' },
  { name: 'Cloaked Link: Click', column: 'link_url', prop: 'url' },
  { name: 'File Download', column: 'link_url', prop: 'url' },
  { name: '404', column: 'path', prop: 'path' },
]

async function eventRows(q: Queries, day: WebsiteDay): Promise<Row[]> {
  const names = await readValues(q, day.websiteId, 'event')
  const linkOf = new Map([...names].map(([id, name]) => [id, linked.find((known) => known.name === name)]))
  const withProps = [...linkOf].flatMap(([id, link]) => (link === undefined ? [] : [id]))
  const groups = await withRest(q, day, 'event', await groupEvents(q, day, 'custom', withProps))
  return groups.map(({ value, props, visitors, count }) => {
    const link = linkOf.get(value)
    const target = link === undefined || props === null ? {} : { [link.column]: propOf(props, link.prop) }
    return { name: names.get(value) ?? '', ...target, visitors, events: count }
  })
}

function propOf(props: string, name: string): string {
  const value = (JSON.parse(props) as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}

async function withRest(
  q: Queries,
  day: WebsiteDay,
  dimension: PanelDimension,
  found: readonly EventGroup[],
): Promise<EventGroup[]> {
  const rest = await restOf(
    q,
    day,
    dimension,
    sumBy(found, ({ value, count }) => [value, count]),
  )
  const unknown = rest.map(({ id, count }) => ({ value: id, props: null, visitors: count, visits: count, count }))
  return [...found, ...unknown]
}

interface Rest {
  id: number
  count: number
}

/** What a day came to beyond what its events say: those that were imported as totals, or are gone. */
async function restOf(
  q: Queries,
  { websiteId, day }: WebsiteDay,
  dimension: PanelDimension,
  found: ReadonlyMap<number, number>,
): Promise<Rest[]> {
  const counts = await readDimensionCounts(q, { websiteId, from: day, to: day }, [dimension])
  const rest = rankCounts(counts.get(dimension) ?? new Map()).map(({ id, count }) => ({
    id,
    count: count - (found.get(id) ?? 0),
  }))
  return rest.filter(({ count }) => count > 0)
}

function sumBy<T>(items: readonly T[], pick: (item: T) => [number, number]): Map<number, number> {
  const sums = new Map<number, number>()
  for (const item of items) {
    const [id, count] = pick(item)
    sums.set(id, (sums.get(id) ?? 0) + count)
  }
  return sums
}
