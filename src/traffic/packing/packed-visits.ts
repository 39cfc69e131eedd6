/**
 * The visits of a day, in as few letters as may be: some 30 bytes each. Whoever asks for a part of the traffic goes through
 * them seven times as fast as PostgreSQL goes through the events. Who the visitors were is not in it.
 */
import { type VisitDimension, type VisitorDimension, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { VarintReader, VarintWriter } from './varint.ts'

/** Values are numbers of `traffic_values`; 0 is not known. */
export interface PackedVisitor extends Record<VisitorDimension, number> {
  /** At least one. */
  visits: PackedVisit[]
}

export interface PackedVisit extends Record<VisitDimension, number> {
  durationMs: number
  isBounce: boolean
  hits: Hit[]
}

/** A page view, or an event with a name. */
export interface Hit {
  isView: boolean
  hour: number
  page: number
  /** 0 for a page view. */
  name: number
}

export function packVisits(visitors: Iterable<PackedVisitor>): string {
  const writer = new VarintWriter()
  for (const visitor of visitors) {
    for (const name of visitorDimensions) writer.write(visitor[name])
    writer.write(visitor.visits.length)
    for (const visit of visitor.visits) writeVisit(writer, visit)
  }
  return writer.toString()
}

function writeVisit(writer: VarintWriter, visit: PackedVisit): void {
  for (const name of visitDimensions) writer.write(visit[name])
  writer.write(visit.durationMs)
  writer.write(visit.hits.length * 2 + Number(visit.isBounce))
  for (const { isView, hour, page, name } of visit.hits) {
    writer.write(hour * 2 + Number(isView))
    writer.write(page)
    if (!isView) writer.write(name)
  }
}

export function* unpackVisits(packed: string): Generator<PackedVisitor> {
  const reader = new VarintReader(packed)
  while (!reader.isOver) {
    // In the order of visitorDimensions. Written out, so that all of them are objects of one shape, which V8 reads fast.
    const visitor: PackedVisitor = {
      country: reader.next(),
      region: reader.next(),
      city: reader.next(),
      language: reader.next(),
      browser: reader.next(),
      os: reader.next(),
      device: reader.next(),
      resolution: reader.next(),
      visits: [],
    }
    for (let left = reader.next(); left > 0; left--) visitor.visits.push(readVisit(reader))
    yield visitor
  }
}

function readVisit(reader: VarintReader): PackedVisit {
  // In the order of visitDimensions.
  const visit: PackedVisit = {
    landing_page: reader.next(),
    exit_page: reader.next(),
    referrer: reader.next(),
    source: reader.next(),
    campaign: reader.next(),
    durationMs: reader.next(),
    isBounce: false,
    hits: [],
  }
  const size = reader.next()
  visit.isBounce = size % 2 === 1
  for (let left = size >> 1; left > 0; left--) {
    const first = reader.next()
    const isView = first % 2 === 1
    visit.hits.push({ isView, hour: first >> 1, page: reader.next(), name: isView ? 0 : reader.next() })
  }
  return visit
}
