/**
 * The columns that counting reads, from a block or from rows. Columns that several functions need are decoded once. The others are decoded
 * at each access.
 */
import type { Block, BlockSizes } from '../blocks/block.ts'
import { BlockReader, type BlockReaderOptions } from '../blocks/block-reader.ts'
import { type CodedColumn, codeIds, isAllZero } from '../blocks/coded-column.ts'
import { type AllocateInt32s, allocateInt32s } from '../blocks/column-bytes.ts'
import type { VisitProgress } from '../blocks/event-times-reader.ts'
import { collectHits, findVisitsOfHits, type Hits } from '../blocks/hits.ts'
import { ENGAGEMENT, type TrafficPart } from '../blocks/traffic-part.ts'
import { type Dimension, type VisitDimension, type VisitorDimension, visitorDimensions } from '../model/dimensions.ts'

export interface PartColumns {
  readonly sizes: BlockSizes
  /** The visits of each visitor. */
  readonly visitCounts: Int32Array
  /** The visitor of each visit. */
  readonly visitorsOfVisits: Int32Array
  /** The visits that are not the first of their visitor. */
  readonly laterVisits: LaterVisits
  /** The hits of each visit. */
  readonly hitCounts: Int32Array
  /** The positions of the custom events in the hits, in ascending order. They are few, so this is faster than a look at each hit. */
  readonly customHits: Int32Array
  readonly visitsOfCustomHits: Int32Array
  /** 1 for each hit that is a custom event, 0 for page views. */
  readonly isCustom: Uint8Array
  readonly durations: Float64Array
  /** The views and actions of each visit. */
  readonly viewsAndActions: { views: Int32Array; actions: Int32Array }
  /** The hour of each hit. */
  readonly hours: Int32Array
  /** The hours of each visit, as bits. */
  readonly hourBits: Int32Array
  readonly visitorIds: Float64Array
  readonly starts: Float64Array
  readonly eventTimes: EventTimes
  /** One value for each visitor, visit, hit or custom event. Undefined if all values are unknown. */
  readDimension(name: Dimension): CodedColumn | undefined
}

export interface EventTimes {
  /** Visits must be asked for in ascending order. Returns undefined if the visit has no event before the time. */
  findVisit(visit: number, until: number): VisitProgress | undefined
}

export interface LaterVisits {
  visits: Int32Array
  /** The first visit of the same visitor. */
  firstVisits: Int32Array
}

function markHits(hits: Int32Array, hitCount: number): Uint8Array {
  const marks = new Uint8Array(hitCount)
  for (const hit of hits) marks[hit] = 1
  return marks
}

function findVisitors(visitCounts: Int32Array, visitCount: number, allocate: AllocateInt32s): Int32Array {
  const visitors = allocate(visitCount)
  let visit = 0
  for (let visitor = 0; visitor < visitCounts.length; visitor++)
    for (const end = visit + (visitCounts[visitor] as number); visit < end; visit++) visitors[visit] = visitor
  return visitors
}

function findLaterVisits(visitCounts: Int32Array, visitCount: number, allocate: AllocateInt32s): LaterVisits {
  const laterCount = visitCount - visitCounts.length
  const later = { visits: allocate(laterCount), firstVisits: allocate(laterCount) }
  let [visit, index] = [0, 0]
  for (let visitor = 0; visitor < visitCounts.length; visitor++) {
    const firstVisit = visit
    const end = visit + (visitCounts[visitor] as number)
    for (visit++; visit < end; visit++, index++) {
      later.visits[index] = visit
      later.firstVisits[index] = firstVisit
    }
  }
  return later
}

class Lazy<T> {
  #value: { value: T } | undefined
  readonly #create: () => T

  constructor(create: () => T) {
    this.#create = create
  }

  get value(): T {
    this.#value ??= { value: this.#create() }
    return this.#value.value
  }
}

export class BlockColumns implements PartColumns {
  readonly sizes: BlockSizes
  readonly #reader: BlockReader
  readonly #allocate: AllocateInt32s
  readonly #visitCounts = new Lazy(() => this.#reader.readVisitCounts())
  readonly #visitorsOfVisits = new Lazy(() => findVisitors(this.visitCounts, this.sizes.visits, this.#allocate))
  readonly #laterVisits = new Lazy(() => findLaterVisits(this.visitCounts, this.sizes.visits, this.#allocate))
  readonly #hitCounts = new Lazy(() => this.#reader.readHitCounts())
  readonly #visitsOfCustomHits = new Lazy(() => findVisitsOfHits(this.customHits, this.hitCounts))
  readonly #isCustom = new Lazy(() => markHits(this.#reader.readCustomHits(), this.sizes.hits))
  readonly #hours = new Lazy(() => this.#reader.readHours(this.hitCounts))
  readonly #starts = new Lazy(() => this.#reader.readStarts())

  constructor(block: Block, options: BlockReaderOptions = {}) {
    this.#allocate = options.allocate ?? allocateInt32s
    this.#reader = new BlockReader(block, options)
    this.sizes = this.#reader.sizes
  }

  get visitCounts(): Int32Array {
    return this.#visitCounts.value
  }

  get visitorsOfVisits(): Int32Array {
    return this.#visitorsOfVisits.value
  }

  get laterVisits(): LaterVisits {
    return this.#laterVisits.value
  }

  get hitCounts(): Int32Array {
    return this.#hitCounts.value
  }

  get isCustom(): Uint8Array {
    return this.#isCustom.value
  }

  get customHits(): Int32Array {
    return this.#reader.readCustomHits()
  }

  get visitsOfCustomHits(): Int32Array {
    return this.#visitsOfCustomHits.value
  }

  get hours(): Int32Array {
    return this.#hours.value
  }

  get durations(): Float64Array {
    return this.#reader.readDurations()
  }

  get viewsAndActions(): { views: Int32Array; actions: Int32Array } {
    return this.#reader.readViewsAndActions(this.hitCounts)
  }

  get hourBits(): Int32Array {
    return this.#reader.readHourBits(this.hitCounts, this.hours)
  }

  get visitorIds(): Float64Array {
    return this.#reader.readVisitorIds()
  }

  get starts(): Float64Array {
    return this.#starts.value
  }

  get eventTimes(): EventTimes {
    return this.#reader.openEventTimes(this.hitCounts, this.starts)
  }

  readDimension(name: Dimension): CodedColumn | undefined {
    return this.#reader.readDimension(name)
  }
}

export class RowColumns implements PartColumns {
  readonly sizes: BlockSizes
  readonly #part: TrafficPart
  readonly #hits: Hits
  readonly #visitorsOfVisits = new Lazy(() => findVisitors(this.visitCounts, this.sizes.visits, allocateInt32s))
  readonly #visitsOfCustomHits = new Lazy(() => findVisitsOfHits(this.customHits, this.hitCounts))
  readonly #isCustom = new Lazy(() => markHits(this.#hits.customHits, this.sizes.hits))
  readonly #laterVisits = new Lazy(() => findLaterVisits(this.visitCounts, this.sizes.visits, allocateInt32s))

  constructor(part: TrafficPart) {
    this.#part = part
    this.#hits = collectHits(part)
    this.sizes = {
      visitors: part.visitors.ids.length,
      visits: part.visits.ids.length,
      hits: this.#hits.pages.length,
      events: part.events.kinds.length,
    }
  }

  get visitCounts(): Int32Array {
    return this.#part.visitors.visitCounts
  }

  get visitorsOfVisits(): Int32Array {
    return this.#visitorsOfVisits.value
  }

  get laterVisits(): LaterVisits {
    return this.#laterVisits.value
  }

  get hitCounts(): Int32Array {
    return this.#hits.counts
  }

  get isCustom(): Uint8Array {
    return this.#isCustom.value
  }

  get customHits(): Int32Array {
    return this.#hits.customHits
  }

  get visitsOfCustomHits(): Int32Array {
    return this.#visitsOfCustomHits.value
  }

  get hours(): Int32Array {
    return this.#hits.hours
  }

  get durations(): Float64Array {
    return this.#part.visits.durationMs
  }

  get viewsAndActions(): { views: Int32Array; actions: Int32Array } {
    return this.#part.visits
  }

  get hourBits(): Int32Array {
    return this.#part.visits.hourBits
  }

  get visitorIds(): Float64Array {
    return this.#part.visitors.ids
  }

  get starts(): Float64Array {
    return this.#part.visits.startedAt
  }

  get eventTimes(): EventTimes {
    return new RowEventTimes(this.#part)
  }

  readDimension(name: Dimension): CodedColumn | undefined {
    const ids = this.#findIds(name)
    return isAllZero(ids) ? undefined : codeIds(ids)
  }

  #findIds(name: Dimension): Int32Array {
    if (name === 'page') return this.#hits.pages
    if (name === 'event') return this.#hits.customNames
    return (visitorDimensions as readonly Dimension[]).includes(name)
      ? this.#part.visitors.values[name as VisitorDimension]
      : this.#part.visits.values[name as VisitDimension]
  }
}

class RowEventTimes implements EventTimes {
  readonly #part: TrafficPart
  /** The visit after the one that was asked for last, and its first event. */
  #nextVisit = 0
  #nextEvent = 0

  constructor(part: TrafficPart) {
    this.#part = part
  }

  findVisit(visit: number, until: number): VisitProgress | undefined {
    const { visits, events } = this.#part
    for (; this.#nextVisit < visit; this.#nextVisit++) this.#nextEvent += visits.eventCounts[this.#nextVisit] as number
    const progress: VisitProgress = { hitCount: 0, lastAt: Number.NEGATIVE_INFINITY }
    const end = this.#nextEvent + (visits.eventCounts[visit] as number)
    for (let event = this.#nextEvent; event < end && (events.at[event] as number) < until; event++) {
      progress.lastAt = events.at[event] as number
      if (events.kinds[event] !== ENGAGEMENT) progress.hitCount++
    }
    return progress.lastAt === Number.NEGATIVE_INFINITY ? undefined : progress
  }
}
