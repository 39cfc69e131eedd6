/** Turns a block back into the part that it was made of. */
import { type VisitDimension, type VisitorDimension, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { type Block, isHour, unzigzag } from './block.ts'
import { BlockReader } from './block-reader.ts'
import { expandIds } from './coded-column.ts'
import { BlockError } from './column-bytes.ts'
import { CUSTOM, createTrafficPart, ENGAGEMENT, type TrafficPart, VIEW } from './traffic-part.ts'

/** The latest time that a Date can have. */
const MAX_TIME_MS = 8.64e15

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
