/** Reads single columns of a block, and expects that any of them can be damaged. */
import { type Dimension, visitorDimensions } from '../model/dimensions.ts'
import {
  BLOCK_VERSION,
  type Block,
  type BlockColumn,
  type BlockSizes,
  isHour,
  MAX_EVENTS_PER_BLOCK,
  unzigzag,
  unzigzagLarge,
} from './block.ts'
import { type CodedColumn, expandIds, readCodedColumn } from './coded-column.ts'
import { type AllocateInt32s, allocateInt32s, BlockError, ColumnReader, openColumn } from './column-bytes.ts'
import { EventTimesReader } from './event-times-reader.ts'
import { deriveCounts, deriveHourBits } from './hits.ts'
import type { OrphanEvent } from './traffic-part.ts'

/** Limits what a damaged column can take: seven bytes for each number of the column and of its dictionary. */
const MAX_BYTES_PER_ELEMENT = 14
const MAX_EXTRA_BYTES = 64
const MAX_TEXT_BYTES = 2 ** 30

/** The times of all events, engagements included. */
interface EventTimes {
  /** The events of each visit. */
  eventCounts: Int32Array
  at: Float64Array
  /** 1 for engagements. */
  isEngagement: Uint8Array
}

export interface BlockReaderOptions {
  /** Provides the memory of columns with 32-bit numbers. */
  allocate?: AllocateInt32s
  /** Called before each stored column is decompressed, except `props` and `orphans`, which counting doesn't read. */
  beforeColumn?: () => void
}

/** Decodes the columns of a block. */
export class BlockReader {
  readonly sizes: BlockSizes
  readonly #columns: Block['columns']
  readonly #allocate: AllocateInt32s
  readonly #beforeColumn: () => void
  #customHits: Int32Array | undefined

  constructor(
    { version, columns, visitors, visits, hits, events }: Block,
    { allocate = allocateInt32s, beforeColumn = () => {} }: BlockReaderOptions = {},
  ) {
    this.#allocate = allocate
    this.#beforeColumn = beforeColumn
    if (version !== BLOCK_VERSION) throw new BlockError(`The version of the block is ${version}.`)
    for (const size of [visitors, visits, hits, events]) {
      if (!(size >= 0 && size <= MAX_EVENTS_PER_BLOCK)) throw new BlockError(`The block has a size of ${size}.`)
    }
    if (visitors > visits || hits > events) throw new BlockError('The sizes of the block contradict each other.')
    this.sizes = { visitors, visits, hits, events }
    this.#columns = columns
  }

  /** The value ids of a dimension, one for each visitor, visit, hit or custom event. Undefined if all are unknown. */
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
    let [sum, bits] = [0, 0]
    for (let index = 0; index < counts.length; index++) {
      const count = counts[index] as number
      sum += count
      bits |= count
    }
    // The sign bit is set if one of the counts is negative.
    if (sum !== expectedSum || bits < 0) throw new BlockError('The columns of a block contradict each other.')
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
    const reader = this.#open(column, hits)
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

  #open(column: Uint8Array, count: number): ColumnReader {
    this.#beforeColumn()
    return new ColumnReader(openColumn(column, MAX_EXTRA_BYTES + count * MAX_BYTES_PER_ELEMENT))
  }

  #read<T>(name: BlockColumn, count: number, read: (reader: ColumnReader, count: number) => T): T | undefined {
    const column = this.#columns[name]
    if (column === null) return undefined
    if (column === undefined) throw new Error(`The column ${name} was not requested.`)
    const reader = this.#open(column, count)
    const value = read(reader, count)
    reader.expectEnd()
    return value
  }

  /** Finds the events of few visits. `readEventTimes` decodes those of all visits. */
  openEventTimes(hitCounts: Int32Array, starts: Float64Array): EventTimesReader {
    const { visits, events } = this.sizes
    return new EventTimesReader({
      hitCounts,
      starts,
      engagementCounts: this.#readEngagementCounts(),
      delays: this.readNumbers('event_delays', visits),
      gaps: this.#read('event_gaps', events, (reader) => reader.readPlanes(events)),
    })
  }

  #readEngagementCounts(): Int32Array {
    const { visits, hits, events } = this.sizes
    const counts = this.readInt32s('engagement_counts', hits + visits)
    this.#expectSum(counts, events - hits)
    return counts
  }

  readEventTimes(hitCounts: Int32Array, starts: Float64Array): EventTimes {
    const { visits, events } = this.sizes
    const engagementCounts = this.#readEngagementCounts()
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
