/** Turns a line of Belfry's own format into an event. Errors name the line. */

import { createHash, randomBytes } from 'node:crypto'
import { unescapeFormula } from '../../../lib/csv.ts'
import { isDay, localDayAt } from '../../../lib/local-day.ts'
import { formatFieldError } from '../../../lib/problem.ts'
import { DAY_MS, HOUR_MS } from '../../../shared/time.ts'
import { eventKinds, type TrafficEvent } from '../../model/event.ts'
import { openCsvTable } from '../files/csv-table.ts'
import type { ImportFile, OnBytes } from '../files/input-files.ts'
import { type CsvRecord, lineError } from '../files/read-csv.ts'
import { deviceTypes, type EventColumn, eventColumns, textColumns } from './columns.ts'
import { findHostnameOfPage, readImportedHostname, readImportedOrigin, readImportedPage } from './imported-origin.ts'

/**
 * This is more than the 1,000 bytes of the longest page that the collector stores, and less than the 2,700 bytes that
 * PostgreSQL can index.
 */
export const MAX_TEXT_BYTES = 2_000
const MAX_PROPS_LENGTH = 100_000
/** An earlier time comes from a clock that was not set. */
const EARLIEST_TIME_MS = Date.UTC(1995, 0)
/** Hours are counted from 0, and a local day may have 25. */
const MAX_HOUR = 24
/**
 * A line's local day may start this long before or after the same day in UTC. Time zones differ from UTC by up to 14 hours.
 * The rest is a margin.
 */
const MAX_DAY_OFFSET_MS = 16 * HOUR_MS

const timePattern = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

interface EventFile {
  /** For error messages. */
  fileName: string
  header: readonly string[]
  websiteId: number
  domain: string
  timeZone: string
  now: number
  /** The masks give each visitor of the file a new number. */
  visitorMasks: VisitorMasks
}

export class EventRowReader {
  readonly #file: EventFile
  readonly #indexes: ReadonlyMap<EventColumn, number>
  #line = 0
  #cells: readonly string[] = []
  #lastAt = 0

  constructor(file: EventFile) {
    this.#file = file
    this.#indexes = indexColumns(file)
  }

  read({ line, cells }: CsvRecord): TrafficEvent {
    this.#line = line
    this.#cells = cells
    const { websiteId, visitorMasks } = this.#file
    const at = this.#readTime()
    const { day, hour } = this.#readLocalTime(at)
    const kind = this.#readKind()
    const visitor = this.#readVisitor(kind)
    const event: TrafficEvent = {
      websiteId,
      kind,
      at,
      day,
      hour,
      visitor: visitorMasks.apply(day, visitor),
      page: this.#readPage(),
    }
    for (const name of textColumns) {
      const text = this.#readText(name)
      if (text !== '') event[name] = text
    }
    this.#addHostname(event)
    this.#checkCodes(event)
    this.#addOrigin(event)
    this.#addRemainingFields(event)
    return event
  }

  #readPage(): string {
    const text = this.#readText('page')
    if (text === '') throw this.#error('page', 'must not be empty')
    const page = readImportedPage(text)
    if (page === undefined) throw this.#error('page', 'must begin with / or be a URL such as https://example.com/')
    return page
  }

  /** Takes the host from the page if the file has no column for it. */
  #addHostname(event: TrafficEvent): void {
    if (this.#indexes.has('hostname') && event.hostname === undefined) return
    const hostname =
      event.hostname === undefined ? findHostnameOfPage(this.#readText('page')) : readImportedHostname(event.hostname)
    if (hostname !== undefined) event.hostname = hostname
    else if (event.hostname !== undefined) throw this.#error('hostname', 'must be a host such as www.example.com')
  }

  #checkCodes({ country, device }: TrafficEvent): void {
    if (country !== undefined && !/^[A-Z]{2}$/.test(country)) throw this.#error('country', 'must be a code such as DE')
    if (device === undefined || (deviceTypes as readonly string[]).includes(device)) return
    throw this.#error('device', `must be one of ${deviceTypes.join(', ')}`)
  }

  /** Derives the source from the referrer if the file has no column for it. */
  #addOrigin(event: TrafficEvent): void {
    const hasSource = this.#indexes.has('source')
    const { referrer, campaign, page } = event
    if (referrer === undefined && hasSource) return
    const origin = readImportedOrigin({ referrer: referrer ?? '', campaign, page, domain: this.#file.domain })
    if (origin.referrer === undefined) delete event.referrer
    else event.referrer = origin.referrer
    if (!hasSource) event.source = origin.source
  }

  #addRemainingFields(event: TrafficEvent): void {
    const name = this.#readText('event')
    if (name === '' && event.kind === 'custom') throw this.#error('event', 'is required if `kind` is custom')
    if (name !== '' && event.kind !== 'custom') throw this.#error('event', 'must be empty unless `kind` is custom')
    if (name !== '') event.name = name
    const props = this.#readProps()
    if (props !== '') event.props = props
    if (event.kind === 'engagement') event.engagedMs = this.#readNumber('engaged_ms', DAY_MS) ?? 0
    const passive = this.#readText('passive')
    if (passive !== '' && passive !== 'true') throw this.#error('passive', 'must be true or empty')
    if (passive === 'true') event.passive = true
  }

  #readTime(): number {
    const text = this.#readText('time')
    const at = timePattern.test(text) ? Math.floor(Date.parse(text)) : Number.NaN
    if (Number.isNaN(at)) throw this.#error('time', 'must be a time such as 2026-01-05T10:00:00.000Z')
    if (at > this.#file.now) throw this.#error('time', 'must not be in the future')
    if (at < EARLIEST_TIME_MS) throw this.#error('time', 'must not be before 1995')
    if (at < this.#lastAt) {
      throw this.#error('time', 'must not be earlier than in the line before. Sort the file by time')
    }
    this.#lastAt = at
    return at
  }

  /** The file's day and hour take precedence: the website may have had another time zone when the event was counted. */
  #readLocalTime(at: number): { day: string; hour: number } {
    const day = this.#readText('day')
    const hour = this.#readNumber('hour', MAX_HOUR)
    if (day === '' && hour === undefined) {
      const local = localDayAt(this.#file.timeZone, at)
      return { day: local.day, hour: Math.floor((at - local.startsAt) / HOUR_MS) }
    }
    if (hour === undefined) throw this.#error('hour', 'is required if `day` is given')
    if (!isDay(day)) throw this.#error('day', 'must be a day such as 2026-01-05')
    const dayStartsAt = at - hour * HOUR_MS
    if (Math.abs(dayStartsAt - Date.parse(day)) > MAX_DAY_OFFSET_MS) throw this.#error('day', 'does not match `time`')
    return { day, hour }
  }

  #readKind(): TrafficEvent['kind'] {
    const text = this.#readText('kind')
    if (Object.hasOwn(eventKinds, text)) return text as TrafficEvent['kind']
    throw this.#error('kind', `must be one of ${Object.keys(eventKinds).join(', ')}`)
  }

  /**
   * Only an engagement (the time spent on a page) may have no visitor. Exports omit the visitor if the page view was on the
   * day before, because then the engagement belongs to no visit of its own day.
   */
  #readVisitor(kind: TrafficEvent['kind']): number | undefined {
    const visitor = this.#readNumber('visitor', Number.MAX_SAFE_INTEGER)
    if (visitor === undefined && kind !== 'engagement') throw this.#error('visitor', 'must not be empty')
    return visitor
  }

  #readProps(): string {
    const text = this.#readCell('props')
    if (text === '') return ''
    if (text.length > MAX_PROPS_LENGTH) throw this.#error('props', `must have at most ${MAX_PROPS_LENGTH} characters`)
    if (!isJsonObject(text)) throw this.#error('props', 'must be a JSON object')
    return text
  }

  #readNumber(column: EventColumn, max: number): number | undefined {
    const text = this.#readText(column)
    if (text === '') return undefined
    const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (number <= max) return number
    throw this.#error(column, `must be a whole number from 0 to ${max}`)
  }

  #readText(column: EventColumn): string {
    const text = this.#readCell(column)
    // In UTF-8, a text has at most three bytes for each unit of its `length`, so the bytes of short texts need not be counted.
    if (text.length * 3 > MAX_TEXT_BYTES && Buffer.byteLength(text) > MAX_TEXT_BYTES) {
      throw this.#error(column, `must have at most ${MAX_TEXT_BYTES} bytes`)
    }
    return text
  }

  #readCell(column: EventColumn): string {
    const index = this.#indexes.get(column)
    const cell = index === undefined ? '' : (this.#cells[index] as string)
    if (cell.includes('\0')) throw this.#error(column, 'must not contain a null character')
    return unescapeFormula(cell)
  }

  #error(column: EventColumn, rule: string) {
    return lineError(this.#file.fileName, this.#line, formatFieldError(column, rule))
  }
}

function indexColumns({ header, fileName }: EventFile): ReadonlyMap<EventColumn, number> {
  for (const [index, column] of header.entries()) {
    if (!eventColumns.includes(column as EventColumn)) throw lineError(fileName, 1, `unknown column "${column}".`)
    if (header.indexOf(column) !== index) throw lineError(fileName, 1, `the column "${column}" occurs twice.`)
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

/** A visitor number is its high bits times this factor, plus its low 32 bits. */
const HIGH_BITS_FACTOR = 2 ** 32

/**
 * Replaces the visitor numbers of a file, so that an imported visitor is never mistaken for one whose events we collected. Combines
 * each number with a mask (XOR). The mask depends on the day and on a random key of the import. Events of one
 * day that have the same number get the same new number.
 */
export class VisitorMasks {
  readonly #key = randomBytes(32)
  #day = ''
  #highMask = 0
  #lowMask = 0

  /** Returns a new random number if `visitor` is undefined. */
  apply(day: string, visitor: number | undefined): number {
    if (visitor === undefined) return read53Bits(randomBytes(7))
    if (day !== this.#day) this.#setDay(day)
    // The number is masked in two halves, because bitwise operators work on 32 bits.
    const high = (Math.floor(visitor / HIGH_BITS_FACTOR) ^ this.#highMask) >>> 0
    const low = ((visitor % HIGH_BITS_FACTOR) ^ this.#lowMask) >>> 0
    return high * HIGH_BITS_FACTOR + low
  }

  #setDay(day: string): void {
    const mask = read53Bits(createHash('sha256').update(this.#key).update(day).digest())
    this.#day = day
    this.#highMask = Math.floor(mask / HIGH_BITS_FACTOR)
    this.#lowMask = mask % HIGH_BITS_FACTOR
  }
}

function read53Bits(bytes: Buffer): number {
  return bytes.readUIntBE(0, 6) * 32 + ((bytes[6] as number) & 31)
}

export interface ImportSite {
  id: number
  domain: string
  timeZone: string
}

export async function* readEventFile(
  file: ImportFile,
  { id: websiteId, domain, timeZone }: ImportSite,
  now: number,
  onBytes: OnBytes = () => {},
): AsyncGenerator<TrafficEvent[]> {
  const { header, recordChunks } = await openCsvTable(file, onBytes)
  // The masks give each visitor of the file a new number, so that no imported visitor is mistaken for a collected one.
  const visitorMasks = new VisitorMasks()
  const reader = new EventRowReader({ fileName: file.name, header, websiteId, domain, timeZone, now, visitorMasks })
  for await (const chunk of recordChunks) if (chunk.length > 0) yield chunk.map((record) => reader.read(record))
}
