/**
 * Writes the statistics of a website as Plausible's tables. Some days have counts, but no stored visits and events: see
 * `readCountsWithoutEvents`. Except in the table `visitors`, the rows of such days have no bounces or durations. If a
 * table has several columns for values, such as country and region, these rows have only the first value.
 */
import { formatCsvLine } from '../../../lib/csv.ts'
import type { TransactionQueries } from '../../../storage/transaction.ts'
import type { WebsiteDay } from '../../blocks/row-store.ts'
import type { Dimension } from '../../model/dimensions.ts'
import { type RankedValue, rankCounts } from '../../stats/panels.ts'
import { readDimensionCounts, readDimensionValues, readValuesById, type StoredDayTotals } from '../../stats/store.ts'
import { type EventGroup, groupEvents, groupVisits, type VisitColumn, type VisitGroup } from './group-day.ts'
import { toPlausibleName } from './names.ts'
import { type PlausibleTable, plausibleTables } from './tables.ts'

/** The cells of a line, by column. A missing cell stays empty. */
type TableRow = Record<string, string | number>

export interface ExportedSite {
  id: number
  domain: string
}

/** Yields the header, and then the lines of each day. */
export async function* writePlausibleTable(
  q: TransactionQueries,
  site: ExportedSite,
  table: PlausibleTable,
  days: readonly StoredDayTotals[],
): AsyncGenerator<{ text: string; rows: number }> {
  const columns = plausibleTables[table]
  yield { text: formatCsvLine(columns), rows: 0 }
  for (const totals of days) {
    const rows = await readRows(q, site, table, totals)
    const lines = rows.map((row) =>
      formatCsvLine(columns.map((column) => (column === 'date' ? totals.day : (row[column] ?? '')))),
    )
    yield { text: lines.join(''), rows: rows.length }
  }
}

async function readRows(
  q: TransactionQueries,
  site: ExportedSite,
  table: PlausibleTable,
  totals: StoredDayTotals,
): Promise<TableRow[]> {
  const day = { websiteId: site.id, day: totals.day }
  if (table === 'visitors') return [toVisitorsRow(totals)]
  if (table === 'pages') return readPageRows(q, day, site.domain)
  if (table === 'custom_events') return readEventRows(q, day)
  return readVisitRows(q, day, visitTables[table])
}

const toSeconds = (ms: number) => Math.round(ms / 1000)

function toVisitorsRow({ visitors, views, bounces, visits, durationMs }: StoredDayTotals): TableRow {
  return { visitors, pageviews: views, bounces, visits, visit_duration: toSeconds(durationMs) }
}

interface VisitTable {
  columns: readonly [VisitColumn, ...VisitColumn[]]
  toCells(first: string, second: string, third: string): TableRow
}

/** A region as an ISO 3166-2 code. Plausible doesn't know regions by name. */
const regionCodePattern = /^[A-Z]{2}-[A-Z0-9]{1,3}$/

const visitTables: Record<Exclude<PlausibleTable, 'visitors' | 'pages' | 'custom_events'>, VisitTable> = {
  sources: {
    columns: ['source', 'referrer', 'campaign'],
    toCells: (source, referrer, campaign) => ({
      source: toPlausibleName('source', source),
      referrer,
      utm_campaign: campaign,
    }),
  },
  entry_pages: { columns: ['landing_page'], toCells: (entry_page) => ({ entry_page }) },
  exit_pages: { columns: ['exit_page'], toCells: (exit_page) => ({ exit_page }) },
  locations: {
    columns: ['country', 'region'],
    toCells: (country, region) => ({ country, region: regionCodePattern.test(region) ? region : '', city: 0 }),
  },
  devices: { columns: ['device'], toCells: (device) => ({ device: toPlausibleName('device', device) }) },
  browsers: { columns: ['browser'], toCells: (browser) => ({ browser: toPlausibleName('browser', browser) }) },
  operating_systems: { columns: ['os'], toCells: (os) => ({ operating_system: toPlausibleName('os', os) }) },
}

async function readVisitRows(
  q: TransactionQueries,
  day: WebsiteDay,
  { columns, toCells }: VisitTable,
): Promise<TableRow[]> {
  const storedGroups = await groupVisits(q, day, columns)
  const storedVisitors = sumById(storedGroups.map(({ valueIds: [id], visitors }) => ({ id: id ?? 0, count: visitors })))
  const countsWithoutEvents = await readCountsWithoutEvents(q, day, columns[0], storedVisitors)
  const groups = [...storedGroups, ...countsWithoutEvents.map(toVisitGroup)]
  const ids = new Set(groups.flatMap(({ valueIds }) => valueIds.filter((id) => id !== null)))
  const values = await readValuesById(q, day.websiteId, [...ids])
  return groups.map(({ valueIds, visitors, visits, durationMs, bounces, views }) => {
    const [first = '', second = '', third = ''] = valueIds.map((id) => values.get(id ?? 0) ?? '')
    const counts = { visitors, visits, entrances: visits, exits: visits, bounces, pageviews: views }
    return { ...toCells(first, second, third), ...counts, visit_duration: toSeconds(durationMs) }
  })
}

/** Only the number of visitors is known, so each of them counts as one visit with one page view. */
function toVisitGroup({ id, count }: RankedValue): VisitGroup {
  return { valueIds: [id], visitors: count, visits: count, durationMs: 0, bounces: 0, views: count }
}

async function readPageRows(q: TransactionQueries, day: WebsiteDay, domain: string): Promise<TableRow[]> {
  const groups = await addCountsWithoutEvents(q, day, 'page', await groupEvents(q, day, 'view'))
  const ids = new Set(groups.flatMap(({ valueId, hostnameId }) => [valueId, hostnameId ?? 0]))
  const values = await readValuesById(q, day.websiteId, [...ids])
  return groups.map(({ valueId, hostnameId, visits, visitors, count }) => ({
    // Plausible expects a host. Visits that Belfry 0.2.0 stored have none.
    hostname: values.get(hostnameId ?? 0) ?? domain,
    page: values.get(valueId) ?? '',
    visits,
    visitors,
    pageviews: count,
  }))
}

/** Plausible has a column of its own for one property of each of these events. Other properties are not exported. */
const propColumns: readonly { event: string; column: string; prop: string }[] = [
  { event: 'Outbound Link: Click', column: 'link_url', prop: 'url' },
  { event: 'Cloaked Link: Click', column: 'link_url', prop: 'url' },
  { event: 'File Download', column: 'link_url', prop: 'url' },
  { event: '404', column: 'path', prop: 'path' },
]

async function readEventRows(q: TransactionQueries, day: WebsiteDay): Promise<TableRow[]> {
  const names = await readDimensionValues(q, day.websiteId, 'event')
  const propColumnsById = new Map([...names].map(([id, name]) => [id, propColumns.find(({ event }) => event === name)]))
  const nameIdsWithProps = [...propColumnsById].flatMap(([id, propColumn]) => (propColumn === undefined ? [] : [id]))
  const groups = await addCountsWithoutEvents(q, day, 'event', await groupEvents(q, day, 'custom', nameIdsWithProps))
  return groups.map(({ valueId, props, visitors, count }) => {
    const propColumn = propColumnsById.get(valueId)
    const propCell =
      propColumn === undefined || props === null ? {} : { [propColumn.column]: readProp(props, propColumn.prop) }
    return { name: names.get(valueId) ?? '', ...propCell, visitors, events: count }
  })
}

function readProp(props: string, name: string): string {
  const value = (JSON.parse(props) as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : ''
}

async function addCountsWithoutEvents(
  q: TransactionQueries,
  day: WebsiteDay,
  dimension: Dimension,
  storedGroups: readonly EventGroup[],
): Promise<EventGroup[]> {
  const storedCounts = sumById(storedGroups.map(({ valueId, count }) => ({ id: valueId, count })))
  const countsWithoutEvents = await readCountsWithoutEvents(q, day, dimension, storedCounts)
  const otherGroups = countsWithoutEvents.map(({ id, count }) => ({
    valueId: id,
    props: null,
    hostnameId: null,
    visitors: count,
    visits: count,
    count,
  }))
  return [...storedGroups, ...otherGroups]
}

/** The part of a day's counts for which no events are stored: they were imported as totals, or have been deleted. */
async function readCountsWithoutEvents(
  q: TransactionQueries,
  { websiteId, day }: WebsiteDay,
  dimension: Dimension,
  storedCounts: ReadonlyMap<number, number>,
): Promise<RankedValue[]> {
  const counts = await readDimensionCounts(q, { websiteId, from: day, to: day }, [dimension])
  const countsWithoutEvents = rankCounts(counts.get(dimension) ?? new Map()).map(({ id, count }) => ({
    id,
    count: count - (storedCounts.get(id) ?? 0),
  }))
  return countsWithoutEvents.filter(({ count }) => count > 0)
}

function sumById(counts: readonly RankedValue[]): Map<number, number> {
  const sums = new Map<number, number>()
  for (const { id, count } of counts) sums.set(id, (sums.get(id) ?? 0) + count)
  return sums
}
