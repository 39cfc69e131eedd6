/**
 * Packs all visits of a website's day into text, about 30 bytes each. Filtered statistics read packed visits seven times
 * as fast as PostgreSQL reads the events. Packed visits contain no visitor ids.
 */
import { visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { VarintReader, VarintWriter } from './varint.ts'

/**
 * Version 1 begins with the number of values per visitor and the number of values per visit. So data that was packed before
 * a dimension was added can still be read: the value of that dimension is unknown. Version 0, from before Belfry 0.2.0, does not
 * store these numbers, because they never changed while it was in use. Belfry never rewrites packed days into a newer version, so
 * version 0 stays readable.
 */
const VERSION = 1
const VERSION_0_VALUE_COUNTS = { visitor: 8, visit: 5 }

export interface VisitorWithVisits {
  /** Value ids in the order of `visitorDimensions`. 0 stands for an unknown value. */
  values: number[]
  /** At least one. */
  visits: VisitWithHits[]
}

export interface VisitWithHits {
  /** Value ids in the order of `visitDimensions`. 0 stands for an unknown value. */
  values: number[]
  durationMs: number
  isBounce: boolean
  hits: Hit[]
}

/** A page view or a custom event. */
export interface Hit {
  isView: boolean
  hour: number
  /** The value id of the page. */
  pageId: number
  /** The value id of the custom event's name; 0 for a page view. */
  eventNameId: number
}

/** Returns an empty string if there are no visitors. */
export function packVisits(visitors: readonly VisitorWithVisits[]): string {
  if (visitors.length === 0) return ''
  const writer = new VarintWriter(VERSION)
  writer.write(visitorDimensions.length)
  writer.write(visitDimensions.length)
  for (const { values, visits } of visitors) {
    for (const value of values) writer.write(value)
    writer.write(visits.length)
    for (const visit of visits) writeVisit(writer, visit)
  }
  return writer.toString()
}

function writeVisit(writer: VarintWriter, { values, durationMs, isBounce, hits }: VisitWithHits): void {
  for (const value of values) writer.write(value)
  writer.write(durationMs)
  writer.write(hits.length * 2 + Number(isBounce))
  for (const { isView, hour, pageId, eventNameId } of hits) {
    writer.write(hour * 2 + Number(isView))
    writer.write(pageId)
    if (!isView) writer.write(eventNameId)
  }
}

export function* unpackVisits(packed: string): Generator<VisitorWithVisits> {
  const reader = new VarintReader(packed, VERSION)
  if (reader.isAtEnd) return
  const valueCounts = reader.version === 0 ? VERSION_0_VALUE_COUNTS : { visitor: reader.next(), visit: reader.next() }
  while (!reader.isAtEnd) {
    const values = readValues(reader, valueCounts.visitor, visitorDimensions.length)
    const visits: VisitWithHits[] = []
    for (let remainingCount = reader.next(); remainingCount > 0; remainingCount--)
      visits.push(readVisit(reader, valueCounts.visit))
    yield { values, visits }
  }
}

function readVisit(reader: VarintReader, storedCount: number): VisitWithHits {
  const values = readValues(reader, storedCount, visitDimensions.length)
  const durationMs = reader.next()
  const hitsAndBounce = reader.next()
  const hits: Hit[] = []
  for (let remainingCount = hitsAndBounce >> 1; remainingCount > 0; remainingCount--) {
    const hourAndKind = reader.next()
    const isView = hourAndKind % 2 === 1
    hits.push({ isView, hour: hourAndKind >> 1, pageId: reader.next(), eventNameId: isView ? 0 : reader.next() })
  }
  return { values, durationMs, isBounce: hitsAndBounce % 2 === 1, hits }
}

/** Fills up with 0, because the values of dimensions that were added after packing are unknown. */
function readValues(reader: VarintReader, storedCount: number, currentCount: number): number[] {
  const values: number[] = []
  for (let index = 0; index < storedCount; index++) values.push(reader.next())
  for (let index = storedCount; index < currentCount; index++) values.push(0)
  return values
}
