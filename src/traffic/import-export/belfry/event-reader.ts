/** From a line of Belfry's own format to an event. What does not fit is refused with the number of its line. */

import { undoDefuse } from '../../../lib/csv.ts'
import { isDay, localDayOf } from '../../../lib/local-day.ts'
import { DAY_MS, HOUR_MS } from '../../../shared/time.ts'
import { eventKinds, type TrafficEvent } from '../../model/event.ts'
import { type CsvRecord, lineError } from '../files/read-csv.ts'
import { deviceTypes, type EventColumn, eventColumns, textColumns } from './columns.ts'
import { readImportedOrigin, readImportedPage } from './imported-origin.ts'
import type { VisitorMasks } from './visitor-masks.ts'

/** What an index entry holds, with something to spare. Addresses that we collect have 1,000 characters at most. */
export const MAX_TEXT_BYTES = 2_000
const MAX_PROPS_LENGTH = 100_000
/** Before anybody counted visitors: a clock that was not set. */
const EARLIEST = Date.UTC(1995, 0)
/** A day of 25 hours. */
const LAST_HOUR = 24

const timePattern = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

interface Setting {
  /** Of the file, for complaints. */
  name: string
  header: readonly string[]
  websiteId: number
  domain: string
  timeZone: string
  now: number
  masks: VisitorMasks
}

export class EventRowReader {
  readonly #setting: Setting
  readonly #places: ReadonlyMap<EventColumn, number>
  #line = 0
  #cells: readonly string[] = []
  #lastAt = 0

  constructor(setting: Setting) {
    this.#setting = setting
    this.#places = placesOf(setting)
  }

  read({ line, cells }: CsvRecord): TrafficEvent {
    this.#line = line
    this.#cells = cells
    const { websiteId, masks } = this.#setting
    const at = this.#time()
    const { day, hour } = this.#localTime(at)
    const kind = this.#kind()
    const visitor = this.#visitor(kind)
    const event: TrafficEvent = {
      websiteId,
      kind,
      at,
      day,
      hour,
      visitor: masks.apply(day, visitor),
      page: this.#page(),
    }
    for (const name of textColumns) {
      const text = this.#text(name)
      if (text !== '') event[name] = text
    }
    this.#checkCodes(event)
    this.#addOrigin(event)
    this.#addRest(event)
    return event
  }

  #page(): string {
    const text = this.#text('page')
    if (text === '') throw this.#wrong('page', 'must not be empty')
    const page = readImportedPage(text)
    if (page === undefined) throw this.#wrong('page', 'must begin with / or be an address such as https://example.com/')
    return page
  }

  #checkCodes({ country, device }: TrafficEvent): void {
    if (country !== undefined && !/^[A-Z]{2}$/.test(country)) throw this.#wrong('country', 'must be a code such as DE')
    if (device === undefined || (deviceTypes as readonly string[]).includes(device)) return
    throw this.#wrong('device', `must be one of ${deviceTypes.join(', ')}`)
  }

  /** A source that the file does not have a column for is worked out. */
  #addOrigin(event: TrafficEvent): void {
    const hasSource = this.#places.has('source')
    const { referrer, campaign, page } = event
    if (referrer === undefined && hasSource) return
    const origin = readImportedOrigin({ referrer: referrer ?? '', campaign, page, domain: this.#setting.domain })
    if (origin.referrer === undefined) delete event.referrer
    else event.referrer = origin.referrer
    if (!hasSource) event.source = origin.source
  }

  #addRest(event: TrafficEvent): void {
    const name = this.#text('event')
    if ((name !== '') !== (event.kind === 'custom')) throw this.#wrong('event', 'belongs to the kind custom')
    if (name !== '') event.name = name
    const props = this.#props()
    if (props !== '') event.props = props
    if (event.kind === 'engagement') event.engagedMs = this.#number('engaged_ms', DAY_MS) ?? 0
    const passive = this.#text('passive')
    if (passive !== '' && passive !== 'true') throw this.#wrong('passive', 'must be true or empty')
    if (passive === 'true') event.passive = true
  }

  #time(): number {
    const text = this.#text('time')
    const at = timePattern.test(text) ? Math.floor(Date.parse(text)) : Number.NaN
    if (Number.isNaN(at)) throw this.#wrong('time', 'must be a time such as 2026-01-05T10:00:00.000Z')
    if (at > this.#setting.now) throw this.#wrong('time', 'lies in the future')
    if (at < EARLIEST) throw this.#wrong('time', 'lies before 1995')
    if (at < this.#lastAt) throw this.#wrong('time', 'is earlier than in the line before. Sort the file by time first')
    this.#lastAt = at
    return at
  }

  /** As it was counted, where the file says so: the website may have had another time zone then. */
  #localTime(at: number): { day: string; hour: number } {
    const day = this.#text('day')
    const hour = this.#number('hour', LAST_HOUR)
    if (day === '' && hour === undefined) {
      const local = localDayOf(this.#setting.timeZone, at)
      return { day: local.day, hour: Math.floor((at - local.startsAt) / HOUR_MS) }
    }
    if (hour === undefined) throw this.#wrong('hour', 'must be there where a day is')
    if (!isDay(day)) throw this.#wrong('day', 'must be a day such as 2026-01-05')
    // No clock is more than 14 hours from UTC.
    const startsAt = at - hour * HOUR_MS
    if (Math.abs(startsAt - Date.parse(day)) > 16 * HOUR_MS) throw this.#wrong('day', 'does not go with its time')
    return { day, hour }
  }

  #kind(): TrafficEvent['kind'] {
    const text = this.#text('kind')
    if (Object.hasOwn(eventKinds, text)) return text as TrafficEvent['kind']
    throw this.#wrong('kind', `must be one of ${Object.keys(eventKinds).join(', ')}`)
  }

  /** Time on a page may belong to nobody that is known any more. */
  #visitor(kind: TrafficEvent['kind']): number | undefined {
    const visitor = this.#number('visitor', Number.MAX_SAFE_INTEGER)
    if (visitor === undefined && kind !== 'engagement') throw this.#wrong('visitor', 'must not be empty')
    return visitor
  }

  #props(): string {
    const text = this.#cell('props')
    if (text === '') return ''
    if (text.length > MAX_PROPS_LENGTH) throw this.#wrong('props', `must have at most ${MAX_PROPS_LENGTH} characters`)
    if (!isJsonObject(text)) throw this.#wrong('props', 'must be a JSON object')
    return text
  }

  #number(name: EventColumn, most: number): number | undefined {
    const text = this.#text(name)
    if (text === '') return undefined
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (number <= most) return number
    throw this.#wrong(name, `must be a whole number from 0 to ${most}`)
  }

  #text(name: EventColumn): string {
    const text = this.#cell(name)
    if (text.length * 3 > MAX_TEXT_BYTES && Buffer.byteLength(text) > MAX_TEXT_BYTES) {
      throw this.#wrong(name, `must have at most ${MAX_TEXT_BYTES} bytes`)
    }
    return text
  }

  #cell(name: EventColumn): string {
    const place = this.#places.get(name)
    const cell = place === undefined ? '' : (this.#cells[place] as string)
    if (cell.includes('\0')) throw this.#wrong(name, 'must not contain a null character')
    return undoDefuse(cell)
  }

  #wrong(column: EventColumn, complaint: string) {
    return lineError(this.#setting.name, this.#line, `the ${column} ${complaint}.`)
  }
}

function placesOf({ header, name }: Setting): ReadonlyMap<EventColumn, number> {
  for (const [index, column] of header.entries()) {
    if (!eventColumns.includes(column as EventColumn)) throw lineError(name, 1, `there is no column "${column}".`)
    if (header.indexOf(column) !== index) throw lineError(name, 1, `the column "${column}" is there twice.`)
  }
  return new Map(header.map((column, index) => [column as EventColumn, index]))
}

function isJsonObject(text: string): boolean {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
