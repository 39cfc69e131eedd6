/** Writes the columns of a block. A comment on a function says what a column holds, if its name doesn't. */
import { visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import {
  BLOCK_VERSION,
  type Block,
  type BlockColumn,
  isHour,
  MAX_EVENTS_PER_BLOCK,
  zigzag,
  zigzagLarge,
} from './block.ts'
import { encodeIds, isAllZero } from './coded-column.ts'
import { ColumnWriter } from './column-bytes.ts'
import { collectHits, deriveCounts, deriveHourBits, type Hits } from './hits.ts'
import { ENGAGEMENT, type TrafficPart } from './traffic-part.ts'

export function encodeBlock(part: TrafficPart): Block {
  const { visitors, visits, events } = part
  if (events.kinds.length > MAX_EVENTS_PER_BLOCK) {
    throw new RangeError(
      `One visitor has ${events.kinds.length} events, more than the ${MAX_EVENTS_PER_BLOCK} that fit into a block. The day stays unpacked.`,
    )
  }
  if (!events.hours.every(isHour)) throw new RangeError('An event is in an hour that does not exist.')
  const hits = collectHits(part)
  const derived = deriveCounts(hits.counts, hits.customHits)
  const columns: Partial<Record<BlockColumn, Uint8Array | null>> = {
    visit_counts: encodeNumbers(visitors.visitCounts.map((count) => count - 1)),
    durations: encodeNumbers(visits.durationMs),
    views: isEqual(visits.views, derived.views) ? null : encodeNumbers(visits.views, false),
    actions: isEqual(visits.actions, derived.actions) ? null : encodeNumbers(visits.actions, false),
    hour_bits: isEqual(visits.hourBits, deriveHourBits(hits.counts, hits.hours))
      ? null
      : encodeNumbers(visits.hourBits, false),
    hit_counts: encodeNumbers(hits.counts),
    custom_hits: encodePositions(hits.customHits),
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

/** `first_hours` has the hour of each visit's first hit. `hour_steps` has, for each hit, the hours since the visit's previous hit, or 0. */
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
