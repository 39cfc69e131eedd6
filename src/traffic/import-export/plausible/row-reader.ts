/** Reads a line of one of Plausible's tables as additions to a day's totals and counts. Errors name the line. */
import { unescapeFormula } from '../../../lib/csv.ts'
import { isDay } from '../../../lib/local-day.ts'
import { formatFieldError } from '../../../lib/problem.ts'
import type { Dimension } from '../../model/dimensions.ts'
import type { DayTotals } from '../../rollup/visits.ts'
import { MAX_TEXT_BYTES } from '../belfry/event-row-reader.ts'
import { readImportedHostname } from '../belfry/imported-origin.ts'
import { type CsvRecord, lineError } from '../files/read-csv.ts'
import { toBelfryName } from './names.ts'
import type { PlausibleTable } from './tables.ts'

/** Receives the totals and counts that a line adds. */
export interface PlausibleSink {
  addTotals(day: string, totals: Partial<DayTotals>): void
  addCount(dimension: Dimension, day: string, value: string, count: number): void
  /** `visitors` counts a visitor once for each page of the host. */
  addPageVisitors(day: string, hostname: string, visitors: number): void
}

/**
 * The sum of a column on one day is stored as a signed 32-bit integer. This limit is less than half of the largest such
 * integer, so a second import of the same size still fits.
 */
const MAX_COUNT = 1_000_000_000

/** No website has traffic from before this day. The limit also excludes the year 0, which PostgreSQL would reject. */
const EARLIEST_DAY = '1970-01-01'

interface TableFile {
  /** For error messages. */
  fileName: string
  table: PlausibleTable
  header: readonly string[]
  /** In the time zone of the website. */
  today: string
}

export class PlausibleRowReader {
  readonly #file: TableFile
  #line = 0
  #cells: readonly string[] = []
  #day = ''
  /** By day and column. */
  readonly #sums = new Map<string, number>()

  constructor(file: TableFile) {
    this.#file = file
  }

  read({ line, cells }: CsvRecord, sink: PlausibleSink): void {
    this.#line = line
    this.#cells = cells
    this.#day = this.#readDay()
    tableReaders[this.#file.table](this, this.#day, sink)
  }

  readText(column: string): string {
    const index = this.#file.header.indexOf(column)
    const text = index === -1 ? '' : unescapeFormula(this.#cells[index] as string)
    if (text.includes('\0')) throw this.#error(column, 'must not contain a null character')
    if (Buffer.byteLength(text) > MAX_TEXT_BYTES) {
      throw this.#error(column, `must have at most ${MAX_TEXT_BYTES} bytes`)
    }
    return text
  }

  readNumber(column: string): number {
    const text = this.readText(column)
    const number = text === '' ? 0 : /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (!(number <= MAX_COUNT)) throw this.#error(column, `must be a whole number from 0 to ${MAX_COUNT}`)
    const key = `${this.#day} ${column}`
    const sum = (this.#sums.get(key) ?? 0) + number
    if (sum > MAX_COUNT) throw this.#error(column, `must not add up to more than ${MAX_COUNT} on one day`)
    this.#sums.set(key, sum)
    return number
  }

  #readDay(): string {
    const day = this.readText('date')
    if (!isDay(day)) throw this.#error('date', 'must be a day such as 2026-01-05')
    if (day < EARLIEST_DAY) throw this.#error('date', `must not be before ${EARLIEST_DAY}`)
    if (day > this.#file.today) throw this.#error('date', 'must not be in the future')
    return day
  }

  #error(column: string, rule: string) {
    return lineError(this.#file.fileName, this.#line, formatFieldError(column, rule))
  }
}

type TableReader = (row: PlausibleRowReader, day: string, sink: PlausibleSink) => void

const tableReaders: Record<PlausibleTable, TableReader> = {
  visitors: (row, day, sink) =>
    sink.addTotals(day, {
      visitors: row.readNumber('visitors'),
      views: row.readNumber('pageviews'),
      bounces: row.readNumber('bounces'),
      visits: row.readNumber('visits'),
      durationMs: row.readNumber('visit_duration') * 1000,
    }),
  sources: (row, day, sink) => {
    const visitors = row.readNumber('visitors')
    sink.addCount('source', day, toBelfryName('source', row.readText('source')), visitors)
    sink.addCount('referrer', day, row.readText('referrer'), visitors)
    sink.addCount('campaign', day, row.readText('utm_campaign'), visitors)
  },
  pages: (row, day, sink) => {
    sink.addCount('page', day, row.readText('page'), row.readNumber('pageviews'))
    const hostname = readImportedHostname(row.readText('hostname'))
    if (hostname !== undefined) sink.addPageVisitors(day, hostname, row.readNumber('visitors'))
  },
  entry_pages: (row, day, sink) =>
    sink.addCount('landing_page', day, row.readText('entry_page'), row.readNumber('visitors')),
  exit_pages: (row, day, sink) =>
    sink.addCount('exit_page', day, row.readText('exit_page'), row.readNumber('visitors')),
  // Cities are skipped: Plausible exports their GeoNames ids, and Belfry has no list of these ids.
  locations: (row, day, sink) => {
    const visitors = row.readNumber('visitors')
    const country = row.readText('country')
    if (/^[A-Z]{2}$/.test(country)) sink.addCount('country', day, country, visitors)
    sink.addCount('region', day, row.readText('region'), visitors)
  },
  devices: (row, day, sink) =>
    sink.addCount('device', day, toBelfryName('device', row.readText('device')), row.readNumber('visitors')),
  browsers: (row, day, sink) =>
    sink.addCount('browser', day, toBelfryName('browser', row.readText('browser')), row.readNumber('visitors')),
  operating_systems: (row, day, sink) =>
    sink.addCount('os', day, toBelfryName('os', row.readText('operating_system')), row.readNumber('visitors')),
  custom_events: (row, day, sink) => {
    const events = row.readNumber('events')
    sink.addTotals(day, { events })
    sink.addCount('event', day, row.readText('name'), events)
  },
}
