/** The columns that counting reads, from a block or from rows. Each column is decoded on first use, and once. */
import {
  type Block,
  type BlockEventTimes,
  BlockReader,
  type BlockSizes,
  collectHits,
  type Hits,
} from '../blocks/block.ts'
import { type CodedColumn, codeIds, isAllZero } from '../blocks/coded-column.ts'
import { type AllocateInt32s, allocateInt32s } from '../blocks/column-bytes.ts'
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
  /** 1 for each hit that is a custom event, 0 for page views. */
  readonly isCustom: Int32Array
  readonly customHits: CustomHits
  readonly durations: Float64Array
  /** The views and actions of each visit. */
  readonly viewsAndActions: { views: Int32Array; actions: Int32Array }
  /** The hour of each hit. */
  readonly hours: Int32Array
  /** The hours of each visit, as bits. */
  readonly hourBits: Int32Array
  readonly visitorIds: Float64Array
  readonly starts: Float64Array
  readonly eventTimes: BlockEventTimes
  /** Undefined if all values are unknown. */
  readDimension(name: Dimension): CodedColumn | undefined
}

export interface LaterVisits {
  visits: Int32Array
  /** The first visit of the same visitor. */
  firstVisits: Int32Array
}

/** Custom events are few, so lists of them are faster than a look at each hit. */
export interface CustomHits {
  hits: number[]
  /** The visit of each. */
  visits: number[]
}

function findCustomHits(isCustom: Int32Array, hitCounts: Int32Array): CustomHits {
  const customHits: CustomHits = { hits: [], visits: [] }
  let [visit, end] = [0, hitCounts[0] ?? 0]
  for (let hit = isCustom.indexOf(1); hit !== -1; hit = isCustom.indexOf(1, hit + 1)) {
    while (hit >= end) end += hitCounts[++visit] as number
    customHits.hits.push(hit)
    customHits.visits.push(visit)
  }
  return customHits
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
  readonly #isCustom = new Lazy(() => this.#reader.readHitKinds())
  readonly #customHits = new Lazy(() => findCustomHits(this.isCustom, this.hitCounts))
  readonly #hours = new Lazy(() => this.#reader.readHours(this.hitCounts))

  /** `allocate` provides the memory of the columns. */
  constructor(block: Block, allocate = allocateInt32s) {
    this.#allocate = allocate
    this.#reader = new BlockReader(block, allocate)
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

  get isCustom(): Int32Array {
    return this.#isCustom.value
  }

  get customHits(): CustomHits {
    return this.#customHits.value
  }

  get hours(): Int32Array {
    return this.#hours.value
  }

  get durations(): Float64Array {
    return this.#reader.readDurations()
  }

  get viewsAndActions(): { views: Int32Array; actions: Int32Array } {
    return this.#reader.readViewsAndActions(this.hitCounts, this.isCustom)
  }

  get hourBits(): Int32Array {
    return this.#reader.readHourBits(this.hitCounts, this.hours)
  }

  get visitorIds(): Float64Array {
    return this.#reader.readVisitorIds()
  }

  get starts(): Float64Array {
    return this.#reader.readStarts()
  }

  get eventTimes(): BlockEventTimes {
    return this.#reader.readEventTimes(this.hitCounts, this.starts)
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
  readonly #customHits = new Lazy(() => findCustomHits(this.isCustom, this.hitCounts))
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

  get isCustom(): Int32Array {
    return this.#hits.isCustom
  }

  get customHits(): CustomHits {
    return this.#customHits.value
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

  get eventTimes(): BlockEventTimes {
    const { visits, events } = this.#part
    const isEngagement = Uint8Array.from(events.kinds, (kind) => Number(kind === ENGAGEMENT))
    return { eventCounts: visits.eventCounts, at: events.at, isEngagement }
  }

  readDimension(name: Dimension): CodedColumn | undefined {
    const ids = this.#findIds(name)
    return isAllZero(ids) ? undefined : codeIds(ids)
  }

  #findIds(name: Dimension): Int32Array {
    if (name === 'page') return this.#hits.pages
    if (name === 'event') return this.#hits.names
    return (visitorDimensions as readonly Dimension[]).includes(name)
      ? this.#part.visitors.values[name as VisitorDimension]
      : this.#part.visits.values[name as VisitDimension]
  }
}
