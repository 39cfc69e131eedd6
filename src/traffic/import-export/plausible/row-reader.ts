/** A line of one of Plausible's tables, as what it adds to a day. */

import { undoDefuse } from '../../../lib/csv.ts'
import { isDay } from '../../../lib/local-day.ts'
import type { PanelDimension } from '../../model/dimensions.ts'
import type { DayTotals } from '../../rollup/tally.ts'
import { MAX_TEXT_BYTES } from '../belfry/event-reader.ts'
import { type CsvRecord, lineError } from '../files/read-csv.ts'
import { toBelfryName } from './names.ts'
import type { PlausibleTable } from './tables.ts'

/** Where it goes. */
export interface PlausibleSink {
  addTotals(day: string, totals: Partial<DayTotals>): void
  addCount(dimension: PanelDimension, day: string, value: string, count: number): void
}

/** More in a day than anybody has. Sums of some have to fit into 32 bits. */
const COUNT_MOST = 1_000_000_000

/** Nobody was counted then; PostgreSQL has no year 0 at all. */
const EARLIEST = '1970-01-01'

interface Setting {
  /** Of the file, for complaints. */
  name: string
  table: PlausibleTable
  header: readonly string[]
  /** Of the website, by its clock. */
  today: string
}

export class PlausibleRowReader {
  readonly #setting: Setting
  #line = 0
  #cells: readonly string[] = []

  constructor(setting: Setting) {
    this.#setting = setting
  }

  read({ line, cells }: CsvRecord, sink: PlausibleSink): void {
    this.#line = line
    this.#cells = cells
    readers[this.#setting.table](this, this.#day(), sink)
  }

  text(column: string): string {
    const place = this.#setting.header.indexOf(column)
    const text = place === -1 ? '' : undoDefuse(this.#cells[place] as string)
    if (text.includes('\0')) throw this.#wrong(column, 'must not contain a null character')
    if (Buffer.byteLength(text) > MAX_TEXT_BYTES) {
      throw this.#wrong(column, `must have at most ${MAX_TEXT_BYTES} bytes`)
    }
    return text
  }

  number(column: string): number {
    const text = this.text(column)
    const number = text === '' ? 0 : /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (number <= COUNT_MOST) return number
    throw this.#wrong(column, `must be a whole number from 0 to ${COUNT_MOST}`)
  }

  #day(): string {
    const day = this.text('date')
    if (!isDay(day)) throw this.#wrong('date', 'must be a day such as 2026-01-05')
    if (day < EARLIEST) throw this.#wrong('date', 'lies before 1970')
    if (day > this.#setting.today) throw this.#wrong('date', 'lies in the future')
    return day
  }

  #wrong(column: string, complaint: string) {
    return lineError(this.#setting.name, this.#line, `the ${column} ${complaint}.`)
  }
}

type Read = (row: PlausibleRowReader, day: string, sink: PlausibleSink) => void

const readers: Record<PlausibleTable, Read> = {
  visitors: (row, day, sink) =>
    sink.addTotals(day, {
      visitors: row.number('visitors'),
      views: row.number('pageviews'),
      bounces: row.number('bounces'),
      visits: row.number('visits'),
      durationMs: row.number('visit_duration') * 1000,
    }),
  sources: (row, day, sink) => {
    const visitors = row.number('visitors')
    sink.addCount('source', day, toBelfryName('source', row.text('source')), visitors)
    sink.addCount('referrer', day, row.text('referrer'), visitors)
    sink.addCount('campaign', day, row.text('utm_campaign'), visitors)
  },
  pages: (row, day, sink) => sink.addCount('page', day, row.text('page'), row.number('pageviews')),
  entry_pages: (row, day, sink) => sink.addCount('landing_page', day, row.text('entry_page'), row.number('visitors')),
  exit_pages: (row, day, sink) => sink.addCount('exit_page', day, row.text('exit_page'), row.number('visitors')),
  // Cities are numbers of a list that we do not have.
  locations: (row, day, sink) => {
    const visitors = row.number('visitors')
    const country = row.text('country')
    if (/^[A-Z]{2}$/.test(country)) sink.addCount('country', day, country, visitors)
    sink.addCount('region', day, row.text('region'), visitors)
  },
  devices: (row, day, sink) =>
    sink.addCount('device', day, toBelfryName('device', row.text('device')), row.number('visitors')),
  browsers: (row, day, sink) =>
    sink.addCount('browser', day, toBelfryName('browser', row.text('browser')), row.number('visitors')),
  operating_systems: (row, day, sink) =>
    sink.addCount('os', day, toBelfryName('os', row.text('operating_system')), row.number('visitors')),
  custom_events: (row, day, sink) => {
    const events = row.number('events')
    sink.addTotals(day, { events })
    sink.addCount('event', day, row.text('name'), events)
  },
}
