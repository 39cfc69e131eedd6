/**
 * The stored format of a part of a day: one column of bytes for each thing that is known about its visitors, visits and events. Readers
 * fetch only the columns that they need.
 *
 * A column that is null has a default for each element, which the functions below describe. So a dimension that was added
 * later, or that a website doesn't use, takes no space. docs/decisions/0021-traffic-blocks.md says why the format is as it is.
 */
import {
  type Dimension,
  dimensionNames,
  type VisitDimension,
  type VisitorDimension,
  visitDimensions,
  visitorDimensions,
} from '../model/dimensions.ts'
import { type CodedColumn, encodeIds, expandIds, isAllZero, readCodedColumn } from './coded-column.ts'
import {
  type AllocateInt32s,
  allocateInt32s,
  BlockError,
  ColumnReader,
  ColumnWriter,
  openColumn,
} from './column-bytes.ts'
import { CUSTOM, createTrafficPart, ENGAGEMENT, type OrphanEvent, type TrafficPart, VIEW } from './traffic-part.ts'

/** Increase it when the format changes, and keep reading the earlier versions. */
export const BLOCK_VERSION = 1

const otherColumns = [
  // What counting needs.
  'visit_counts',
  'durations',
  'views',
  'actions',
  'hour_bits',
  'hit_counts',
  'custom_hits',
  'first_hours',
  'hour_steps',
  // What only exports, repacking and parts of a day need.
  'visitor_ids',
  'visit_ids',
  'starts',
  'event_delays',
  'event_gaps',
  'engagement_counts',
  'engagement_pages',
  'engagement_hours',
  'engaged_times',
  'props',
  'orphans',
] as const
export type BlockColumn = Dimension | (typeof otherColumns)[number]
/** The columns of the table `traffic_blocks` that hold bytes. */
export const blockColumns: readonly BlockColumn[] = [...dimensionNames, ...otherColumns]

/** The number of elements that the columns have. A hit is a page view or custom event. */
export interface BlockSizes {
  visitors: number
  visits: number
  hits: number
  /** Hits and engagements, but not the events without a visit. */
  events: number
}

export interface Block extends BlockSizes {
  version: number
  columns: Partial<Record<BlockColumn, Uint8Array | null>>
}

/** More events don't fit into one part, so a day in which one visitor sends more stays unpacked. */
const MAX_EVENTS = 2 ** 24
/** Limits what a damaged column can take: seven bytes for each number of the column and of its dictionary. */
const MAX_BYTES_PER_ELEMENT = 14
const MAX_EXTRA_BYTES = 64
const MAX_TEXT_BYTES = 2 ** 30
/** `hour_bits` has one bit for each hour, and bit operations handle 31 bits without a sign. */
const MAX_HOUR = 30
/** The latest time that a Date can have. */
const MAX_TIME_MS = 8.64e15

export function encodeBlock(part: TrafficPart): Block {
  const { visitors, visits, events } = part
  if (events.kinds.length > MAX_EVENTS) throw new RangeError('A visitor has too many events in one day.')
  if (!events.hours.every(isHour)) throw new RangeError('An event is in an hour that does not exist.')
  const hits = collectHits(part)
  const derived = deriveCounts(hits.counts, hits.customs)
  const columns: Partial<Record<BlockColumn, Uint8Array | null>> = {
    visit_counts: encodeNumbers(visitors.visitCounts.map((count) => count - 1)),
    durations: encodeNumbers(visits.durationMs),
    views: isEqual(visits.views, derived.views) ? null : encodeNumbers(visits.views, false),
    actions: isEqual(visits.actions, derived.actions) ? null : encodeNumbers(visits.actions, false),
    hour_bits: isEqual(visits.hourBits, deriveHourBits(hits.counts, hits.hours))
      ? null
      : encodeNumbers(visits.hourBits, false),
    hit_counts: encodeNumbers(hits.counts),
    custom_hits: encodePositions(hits.customs),
    ...encodeHours(hits),
    visitor_ids: encodeAscending(visitors.ids),
    visit_ids: encodeOffsets(visits.ids),
    starts: encodeOffsets(visits.startedAt),
    ...encodeTimes(part),
    ...encodeEngagements(part),
    props: events.props === undefined ? null : encodeTexts(events.props),
    orphans: part.orphans.length === 0 ? null : encodeJson(part.orphans),
    page: encodeIds(hits.pages),
    event: encodeIds(hits.customNames),
  }
  for (const name of visitorDimensions) columns[name] = encodeIds(visitors.values[name])
  for (const name of visitDimensions) columns[name] = encodeIds(visits.values[name])
  return {
    version: BLOCK_VERSION,
    visitors: visitors.ids.length,
    visits: visits.ids.length,
    hits: hits.pages.length,
    events: events.kinds.length,
    columns,
  }
}

export interface Hits {
  /** One element for each visit. */
  counts: Int32Array
  /** One element for each hit. */
  hours: Int32Array
  pages: Int32Array
  /** The positions of the custom events, in ascending order, and the ids of their names. */
  customs: Int32Array
  customNames: Int32Array
}

export function collectHits({ visits, events }: TrafficPart): Hits {
  let [hitCount, customCount] = [0, 0]
  for (const kind of events.kinds) {
    if (kind !== ENGAGEMENT) hitCount++
    if (kind === CUSTOM) customCount++
  }
  const hits: Hits = {
    counts: new Int32Array(visits.ids.length),
    hours: new Int32Array(hitCount),
    pages: new Int32Array(hitCount),
    customs: new Int32Array(customCount),
    customNames: new Int32Array(customCount),
  }
  let [event, hit, custom] = [0, 0, 0]
  for (let visit = 0; visit < visits.ids.length; visit++) {
    const end = event + (visits.eventCounts[visit] as number)
    const firstHit = hit
    for (; event < end; event++) {
      const kind = events.kinds[event]
      if (kind === ENGAGEMENT) continue
      hits.hours[hit] = events.hours[event] as number
      hits.pages[hit] = events.pages[event] as number
      if (kind === CUSTOM) {
        hits.customs[custom] = hit
        hits.customNames[custom] = events.names[event] as number
        custom++
      }
      hit++
    }
    hits.counts[visit] = hit - firstHit
  }
  return hits
}

/** What visits nearly always are: as many views and actions as hits. Passive events are no actions. */
function deriveCounts(hitCounts: Int32Array, customs: Int32Array): { views: Int32Array; actions: Int32Array } {
  const views = hitCounts.slice()
  const actions = new Int32Array(hitCounts.length)
  for (const visit of findVisitsOfHits(customs, hitCounts)) {
    views[visit] = (views[visit] as number) - 1
    actions[visit] = (actions[visit] as number) + 1
  }
  return { views, actions }
}

/** Finds the visit of each hit. The hits ascend, and `hitCounts` has the number of hits of each visit. */
export function findVisitsOfHits(hits: Int32Array, hitCounts: Int32Array): Int32Array {
  const visits = new Int32Array(hits.length)
  let [visit, end] = [0, hitCounts[0] ?? 0]
  for (let index = 0; index < hits.length; index++) {
    while ((hits[index] as number) >= end) end += hitCounts[++visit] as number
    visits[index] = visit
  }
  return visits
}

/** The hours of the hits of each visit. */
function deriveHourBits(hitCounts: Int32Array, hours: Int32Array): Int32Array {
  const hourBits = new Int32Array(hitCounts.length)
  let hit = 0
  for (let visit = 0; visit < hitCounts.length; visit++) {
    const end = hit + (hitCounts[visit] as number)
    let bits = 0
    for (; hit < end; hit++) bits |= 1 << (hours[hit] as number)
    hourBits[visit] = bits
  }
  return hourBits
}

/** `first_hours` has the hour of the first hit of each visit, and `hour_steps` the difference to the hit before it. */
function encodeHours({ counts, hours }: Hits): Pick<Block['columns'], 'first_hours' | 'hour_steps'> {
  const firstHours = new Int32Array(counts.length)
  const steps = new Int32Array(hours.length)
  let hit = 0
  for (let visit = 0; visit < counts.length; visit++) {
    const end = hit + (counts[visit] as number)
    if (hit < end) firstHours[visit] = hours[hit] as number
    for (hit++; hit < end; hit++) steps[hit] = zigzag((hours[hit] as number) - (hours[hit - 1] as number))
    hit = end
  }
  return { first_hours: encodeNumbers(firstHours), hour_steps: encodeNumbers(steps) }
}

/**
 * `event_delays` has the time between the start of each visit and its first event. It is 0 unless an event arrived late. `event_gaps` has
 * the time since the previous event of the visit.
 */
function encodeTimes({ visits, events }: TrafficPart): Pick<Block['columns'], 'event_delays' | 'event_gaps'> {
  const delays = new Float64Array(visits.ids.length)
  const gaps = new Float64Array(events.at.length)
  let event = 0
  for (let visit = 0; visit < visits.ids.length; visit++) {
    const end = event + (visits.eventCounts[visit] as number)
    if (end > event) delays[visit] = zigzagLarge((events.at[event] as number) - (visits.startedAt[visit] as number))
    for (event++; event < end; event++) gaps[event] = (events.at[event] as number) - (events.at[event - 1] as number)
    event = end
  }
  return { event_delays: encodeNumbers(delays), event_gaps: encodeNumbers(gaps) }
}

type EngagementColumns = Pick<
  Block['columns'],
  'engagement_counts' | 'engagement_pages' | 'engagement_hours' | 'engaged_times'
>

/**
 * `engagement_counts` has the number of engagements before each hit, and after the last hit of each visit. An engagement is
 * nearly always about the page of the hit before it. Then `engagement_pages` has 0, otherwise the id of the page + 1.
 * `engagement_hours` has the difference to the hour of the event before it.
 */
function encodeEngagements({ visits, events }: TrafficPart): EngagementColumns {
  const [counts, pages, hourSteps, times]: [number[], number[], number[], number[]] = [[], [], [], []]
  let event = 0
  for (let visit = 0; visit < visits.ids.length; visit++) {
    const end = event + (visits.eventCounts[visit] as number)
    let [count, previousPage, previousHour] = [0, 0, 0]
    for (; event < end; event++) {
      const page = events.pages[event] as number
      const hour = events.hours[event] as number
      if (events.kinds[event] !== ENGAGEMENT) {
        counts.push(count)
        count = 0
        previousPage = page
      } else {
        count++
        pages.push(page === previousPage ? 0 : page + 1)
        hourSteps.push(zigzag(hour - previousHour))
        times.push((events.engagedMs[event] as number) + 1)
      }
      previousHour = hour
    }
    counts.push(count)
  }
  return {
    engagement_counts: encodeNumbers(Int32Array.from(counts)),
    engagement_pages: encodeIds(Int32Array.from(pages)),
    engagement_hours: encodeNumbers(Int32Array.from(hourSteps)),
    engaged_times: encodeNumbers(Int32Array.from(times)),
  }
}

/** Returns null if all numbers are 0 and `canBeNull`. */
function encodeNumbers(values: Int32Array | Float64Array, canBeNull = true): Uint8Array | null {
  if (canBeNull && isAllZero(values)) return null
  const writer = new ColumnWriter()
  writer.writeNumbers(values)
  return writer.seal()
}

function encodeOffsets(values: Float64Array): Uint8Array {
  let base = values[0] ?? 0
  for (const value of values) if (value < base) base = value
  const writer = new ColumnWriter()
  writer.writeFloat64(base)
  writer.writeNumbers(values.map((value) => value - base))
  return writer.seal()
}

function encodeAscending(values: Float64Array): Uint8Array {
  const writer = new ColumnWriter()
  writer.writeFloat64(values[0] ?? 0)
  writer.writeNumbers(values.map((value, index) => (index === 0 ? 0 : value - (values[index - 1] as number))))
  return writer.seal()
}

/** Ascending positions: the number of positions, and the gaps between them. */
function encodePositions(positions: Int32Array): Uint8Array | null {
  if (positions.length === 0) return null
  const writer = new ColumnWriter()
  writer.writeUint32(positions.length)
  writer.writeNumbers(
    positions.map((position, index) => position - (index === 0 ? 0 : (positions[index - 1] as number) + 1)),
  )
  return writer.seal()
}

function encodeTexts(texts: readonly (string | null)[]): Uint8Array {
  const codesByText = new Map<string | null, number>([[null, 0]])
  const codes = Int32Array.from(texts, (text) => codesByText.getOrInsertComputed(text, () => codesByText.size))
  const writer = new ColumnWriter()
  writer.writeNumbers(codes)
  writer.writeBytes(Buffer.from(JSON.stringify([...codesByText.keys()])))
  return writer.seal()
}

function encodeJson(value: unknown): Uint8Array {
  const writer = new ColumnWriter()
  writer.writeBytes(Buffer.from(JSON.stringify(value)))
  return writer.seal()
}

function isEqual(values: Int32Array, others: Int32Array): boolean {
  return values.every((value, index) => value === others[index])
}

/** Maps 0, -1, 1, -2 … to 0, 1, 2, 3 … */
const zigzag = (value: number) => (value << 1) ^ (value >> 31)
const unzigzag = (value: number) => (value >>> 1) ^ -(value & 1)
const zigzagLarge = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value)
const unzigzagLarge = (value: number) => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)

export interface BlockEventTimes {
  /** The events of each visit. */
  eventCounts: Int32Array
  at: Float64Array
  /** 1 for engagements. */
  isEngagement: Uint8Array
}

/** Decodes the columns of a block. */
export class BlockReader {
  readonly sizes: BlockSizes
  readonly #columns: Block['columns']
  readonly #allocate: AllocateInt32s
  #customHits: Int32Array | undefined

  constructor({ version, columns, visitors, visits, hits, events }: Block, allocate = allocateInt32s) {
    this.#allocate = allocate
    if (version !== BLOCK_VERSION) throw new BlockError(`The version of the block is ${version}.`)
    for (const size of [visitors, visits, hits, events]) {
      if (!(size >= 0 && size <= MAX_EVENTS)) throw new BlockError(`The block has a size of ${size}.`)
    }
    if (visitors > visits || hits > events) throw new BlockError('The sizes of the block contradict each other.')
    this.sizes = { visitors, visits, hits, events }
    this.#columns = columns
  }

  /** The value ids of a dimension, one for each visitor, visit or hit. Undefined if all are unknown. */
  readDimension(name: Dimension): CodedColumn | undefined {
    return this.#read(name, this.#countElements(name), readCodedColumn)
  }

  /** Value ids. Returns zeros if all are unknown. */
  readIds(name: BlockColumn, count: number): Int32Array {
    const column = this.#read(name, count, readCodedColumn)
    return column === undefined ? new Int32Array(count) : expandIds(column)
  }

  #countElements(name: Dimension): number {
    if (name === 'page') return this.sizes.hits
    if (name === 'event') return this.readCustomHits().length
    return (visitorDimensions as readonly Dimension[]).includes(name) ? this.sizes.visitors : this.sizes.visits
  }

  readVisitCounts(): Int32Array {
    const counts = this.readInt32s('visit_counts', this.sizes.visitors)
    for (let visitor = 0; visitor < counts.length; visitor++) counts[visitor] = (counts[visitor] as number) + 1
    this.#expectSum(counts, this.sizes.visits)
    return counts
  }

  readHitCounts(): Int32Array {
    const counts = this.readInt32s('hit_counts', this.sizes.visits)
    this.#expectSum(counts, this.sizes.hits)
    return counts
  }

  #expectSum(counts: Int32Array, expectedSum: number): void {
    let sum = 0
    let hasNegative = false
    for (let index = 0; index < counts.length; index++) {
      const count = counts[index] as number
      sum += count
      if (count < 0) hasNegative = true
    }
    if (sum !== expectedSum || hasNegative) throw new BlockError('The columns of a block contradict each other.')
  }

  /** The hour of each hit. */
  readHours(hitCounts: Int32Array): Int32Array {
    const firstHours = this.readInt32s('first_hours', this.sizes.visits)
    const hours = this.readInt32s('hour_steps', this.sizes.hits)
    let hit = 0
    for (let visit = 0; visit < hitCounts.length; visit++) {
      let hour = firstHours[visit] as number
      for (let remaining = hitCounts[visit] as number; remaining > 0; remaining--, hit++) {
        hour += unzigzag(hours[hit] as number)
        if (!isHour(hour)) throw new BlockError(`A block has an event in hour ${hour}.`)
        hours[hit] = hour
      }
    }
    return hours
  }

  readDurations(): Float64Array {
    return this.readNumbers('durations', this.sizes.visits)
  }

  readStarts(): Float64Array {
    return this.#readOffsets('starts', this.sizes.visits)
  }

  readVisitIds(): Float64Array {
    return this.#readOffsets('visit_ids', this.sizes.visits)
  }

  readVisitorIds(): Float64Array {
    const ids = this.#readOffsets('visitor_ids', this.sizes.visitors)
    const base = ids[0] ?? 0
    for (let index = 1; index < ids.length; index++) {
      const id = (ids[index] as number) - base + (ids[index - 1] as number)
      if (!(id > (ids[index - 1] as number))) throw new BlockError('The visitors of a block are not in order.')
      ids[index] = id
    }
    return ids
  }

  /** The positions of the custom events among the hits, in ascending order. */
  readCustomHits(): Int32Array {
    this.#customHits ??= this.#readCustomHits()
    return this.#customHits
  }

  #readCustomHits(): Int32Array {
    const column = this.#columns.custom_hits
    if (column === null) return new Int32Array(0)
    if (column === undefined) throw new Error('The column custom_hits was not requested.')
    const { hits } = this.sizes
    const reader = new ColumnReader(openColumn(column, MAX_EXTRA_BYTES + hits * MAX_BYTES_PER_ELEMENT))
    const count = reader.readUint32()
    if (count > hits) throw new BlockError('The columns of a block contradict each other.')
    const positions = reader.readInt32s(count)
    reader.expectEnd()
    let position = -1
    for (let index = 0; index < count; index++) {
      position += (positions[index] as number) + 1
      if (!(position < hits)) throw new BlockError('The columns of a block contradict each other.')
      positions[index] = position
    }
    return positions
  }

  readViewsAndActions(hitCounts: Int32Array): { views: Int32Array; actions: Int32Array } {
    const { visits } = this.sizes
    const [views, actions] = [this.#readIfStored('views', visits), this.#readIfStored('actions', visits)]
    if (views !== undefined && actions !== undefined) return { views, actions }
    const derived = deriveCounts(hitCounts, this.readCustomHits())
    return { views: views ?? derived.views, actions: actions ?? derived.actions }
  }

  readHourBits(hitCounts: Int32Array, hours: Int32Array): Int32Array {
    return this.#readIfStored('hour_bits', this.sizes.visits) ?? deriveHourBits(hitCounts, hours)
  }

  /** Returns zeros if the column is null. */
  readInt32s(name: BlockColumn, count: number): Int32Array {
    return this.#readIfStored(name, count) ?? this.#allocate(count)
  }

  /** Like `readInt32s`, for numbers of any size. */
  readNumbers(name: BlockColumn, count: number): Float64Array {
    return this.#read(name, count, (reader) => reader.readNumbers(count)) ?? new Float64Array(count)
  }

  #readIfStored(name: BlockColumn, count: number): Int32Array | undefined {
    return this.#read(name, count, (reader) => reader.readInt32s(count, this.#allocate))
  }

  #readOffsets(name: BlockColumn, count: number): Float64Array {
    const offsets = this.#read(name, count, (reader) => {
      const base = reader.readFloat64()
      const values = reader.readNumbers(count)
      for (let index = 0; index < count; index++) {
        const value = (values[index] as number) + base
        if (!Number.isSafeInteger(value)) throw new BlockError('A column has numbers that are too large.')
        values[index] = value
      }
      return values
    })
    if (offsets === undefined) throw new BlockError(`The column ${name} is missing.`)
    return offsets
  }

  #read<T>(name: BlockColumn, count: number, read: (reader: ColumnReader, count: number) => T): T | undefined {
    const column = this.#columns[name]
    if (column === null) return undefined
    if (column === undefined) throw new Error(`The column ${name} was not requested.`)
    const reader = new ColumnReader(openColumn(column, MAX_EXTRA_BYTES + count * MAX_BYTES_PER_ELEMENT))
    const value = read(reader, count)
    reader.expectEnd()
    return value
  }

  /** The times of all events, engagements included. */
  readEventTimes(hitCounts: Int32Array, starts: Float64Array): BlockEventTimes {
    const { visits, hits, events } = this.sizes
    const engagementCounts = this.readInt32s('engagement_counts', hits + visits)
    this.#expectSum(engagementCounts, events - hits)
    const delays = this.readNumbers('event_delays', visits)
    const at = this.readNumbers('event_gaps', events)
    const eventCounts = new Int32Array(visits)
    const isEngagement = new Uint8Array(events)
    let [event, group] = [0, 0]
    for (let visit = 0; visit < visits; visit++) {
      const firstEvent = event
      let time = (starts[visit] as number) + unzigzagLarge(delays[visit] as number)
      for (let remainingHits = hitCounts[visit] as number; remainingHits >= 0; remainingHits--) {
        const end = event + (engagementCounts[group++] as number)
        for (; event < end; event++) {
          isEngagement[event] = 1
          time += at[event] as number
          at[event] = time
        }
        if (remainingHits > 0) {
          time += at[event] as number
          at[event] = time
          event++
        }
      }
      eventCounts[visit] = event - firstEvent
    }
    return { eventCounts, at, isEngagement }
  }

  readOrphans(): OrphanEvent[] {
    const column = this.#columns.orphans
    const orphans = column == null ? [] : parseJson(openColumn(column, MAX_TEXT_BYTES))
    if (!orphans.every(isOrphan)) throw new BlockError('A column has no valid events.')
    return orphans
  }

  readProps(): (string | null)[] | undefined {
    const column = this.#columns.props
    if (column == null) return undefined
    const reader = new ColumnReader(openColumn(column, MAX_TEXT_BYTES))
    const codes = reader.readInt32s(this.sizes.events)
    const texts = parseJson(reader.readRest())
    return Array.from(codes, (code) => {
      const text = texts[code]
      if (typeof text !== 'string' && text !== null) throw new BlockError('A code is not in the dictionary.')
      return text
    })
  }
}

const isHour = (hour: number) => hour >= 0 && hour <= MAX_HOUR

function isOrphan(value: unknown): value is OrphanEvent {
  const { kind, at, hour, page, name, engagedMs, props } = (value ?? {}) as Record<keyof OrphanEvent, unknown>
  return (
    [kind, at, hour, page, name].every(isCount) &&
    isHour(hour as number) &&
    (engagedMs === null || isCount(engagedMs)) &&
    (props === null || typeof props === 'string')
  )
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0

function parseJson(bytes: Uint8Array): unknown[] {
  try {
    const value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
    if (Array.isArray(value)) return value
  } catch {
    // The error below says all there is to say.
  }
  throw new BlockError('A column has no valid JSON.')
}

/** Decodes everything. Needs all columns. */
export function decodeBlock(block: Block): TrafficPart {
  const reader = new BlockReader(block)
  const { visitors, visits, events } = reader.sizes
  // If a size is wrong, these reads fail before anything large is allocated.
  const [visitCounts, hitCounts] = [reader.readVisitCounts(), reader.readHitCounts()]
  const part = createTrafficPart(visitors, visits, events)
  part.visitors.ids = reader.readVisitorIds()
  part.visitors.visitCounts = visitCounts
  readValues(reader, visitorDimensions, part.visitors.values)
  readValues(reader, visitDimensions, part.visits.values)
  part.visits.ids = reader.readVisitIds()
  part.visits.startedAt = reader.readStarts()
  part.visits.durationMs = reader.readDurations()
  const hours = reader.readHours(hitCounts)
  Object.assign(part.visits, reader.readViewsAndActions(hitCounts))
  part.visits.hourBits = reader.readHourBits(hitCounts, hours)
  decodeEvents(reader, part, hitCounts, hours)
  part.events.props = reader.readProps()
  part.orphans = reader.readOrphans()
  expectTimes(part)
  return part
}

/** Times are stored as differences, which a damaged column can make huge. PostgreSQL would refuse them later. */
function expectTimes({ visits, events, orphans }: TrafficPart): void {
  const isTime = (time: number) => Math.abs(time) <= MAX_TIME_MS
  const isValid =
    visits.startedAt.every(
      (startedAt, visit) => isTime(startedAt) && isTime(startedAt + (visits.durationMs[visit] as number)),
    ) &&
    events.at.every(isTime) &&
    orphans.every(({ at }) => isTime(at))
  if (!isValid) throw new BlockError('A block has a time that does not exist.')
}

function readValues<Name extends VisitDimension | VisitorDimension>(
  reader: BlockReader,
  names: readonly Name[],
  values: Record<Name, Int32Array>,
): void {
  for (const name of names) {
    const column = reader.readDimension(name)
    if (column !== undefined) values[name] = expandIds(column)
  }
}

function decodeEvents(
  reader: BlockReader,
  { visits, events }: TrafficPart,
  hitCounts: Int32Array,
  hours: Int32Array,
): void {
  const { hits: hitCount, visits: visitCount, events: eventCount } = reader.sizes
  const pages = reader.readIds('page', hitCount)
  const customHits = reader.readCustomHits()
  const customNames = reader.readIds('event', customHits.length)
  const engagementCount = eventCount - hitCount
  const engagementPages = reader.readIds('engagement_pages', engagementCount)
  const engagementHours = reader.readInt32s('engagement_hours', engagementCount)
  const engagedTimes = reader.readInt32s('engaged_times', engagementCount)
  const { eventCounts, at, isEngagement } = reader.readEventTimes(hitCounts, visits.startedAt)
  visits.eventCounts = eventCounts
  events.at = at
  let [event, hit, custom, engagement] = [0, 0, 0, 0]
  for (let visit = 0; visit < visitCount; visit++) {
    let [page, hour] = [0, 0]
    for (const end = event + (eventCounts[visit] as number); event < end; event++) {
      if (isEngagement[event] === 1) {
        const otherPage = engagementPages[engagement] as number
        hour += unzigzag(engagementHours[engagement] as number)
        if (!isHour(hour)) throw new BlockError(`A block has an event in hour ${hour}.`)
        events.kinds[event] = ENGAGEMENT
        events.pages[event] = otherPage === 0 ? page : otherPage - 1
        events.engagedMs[event] = (engagedTimes[engagement] as number) - 1
        engagement++
      } else {
        page = pages[hit] as number
        hour = hours[hit] as number
        events.kinds[event] = VIEW
        events.pages[event] = page
        if (hit === customHits[custom]) {
          events.kinds[event] = CUSTOM
          events.names[event] = customNames[custom] as number
          custom++
        }
        hit++
      }
      events.hours[event] = hour
    }
  }
}
