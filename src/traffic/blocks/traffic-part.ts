/**
 * Visits and events of a website's day in columns, sorted by visitor, visit and time. A part has whole visitors: all of
 * their visits and events of the day.
 *
 * The visits of the first visitor come first, then those of the second visitor, and so on. Events follow in the order of their
 * visits. Ids are those of `traffic_values`, and 0 stands for an unknown value.
 */
import { type VisitDimension, type VisitorDimension, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { eventKinds } from '../model/event.ts'

export interface TrafficPart {
  visitors: VisitorColumns
  visits: VisitColumns
  events: EventColumns
  orphans: readonly OrphanEvent[]
}

/** One element for each visitor. */
export interface VisitorColumns {
  /** In ascending order. */
  ids: Float64Array
  visitCounts: Int32Array
  values: Record<VisitorDimension, Int32Array>
}

/** One element for each visit. */
export interface VisitColumns {
  ids: Float64Array
  /** Milliseconds since 1970. */
  startedAt: Float64Array
  durationMs: Float64Array
  views: Int32Array
  /** The number of custom events that the visitor caused. */
  actions: Int32Array
  /** Bit n is set if the visit has a page view or custom event in hour n of the day. */
  hourBits: Int32Array
  eventCounts: Int32Array
  values: Record<VisitDimension, Int32Array>
}

/** One element for each event. */
export interface EventColumns {
  /** The numbers in `eventKinds`. */
  kinds: Int32Array
  /** Milliseconds since 1970. */
  at: Float64Array
  hours: Int32Array
  pages: Int32Array
  names: Int32Array
  /** -1 if it is unknown. Only engagements have it. */
  engagedMs: Int32Array
  /** Undefined if no event has properties. */
  props: (string | null)[] | undefined
}

/** An event that belongs to no visit: an engagement with a page that the visitor opened the day before. Only exports read it. */
export interface OrphanEvent {
  kind: number
  at: number
  hour: number
  page: number
  name: number
  engagedMs: number | null
  props: string | null
}

export const ENGAGEMENT: number = eventKinds.engagement
export const CUSTOM: number = eventKinds.custom
export const VIEW: number = eventKinds.view

export function createTrafficPart(visitorCount: number, visitCount: number, eventCount: number): TrafficPart {
  return {
    visitors: {
      ids: new Float64Array(visitorCount),
      visitCounts: new Int32Array(visitorCount),
      values: createColumns(visitorDimensions, visitorCount),
    },
    visits: {
      ids: new Float64Array(visitCount),
      startedAt: new Float64Array(visitCount),
      durationMs: new Float64Array(visitCount),
      views: new Int32Array(visitCount),
      actions: new Int32Array(visitCount),
      hourBits: new Int32Array(visitCount),
      eventCounts: new Int32Array(visitCount),
      values: createColumns(visitDimensions, visitCount),
    },
    events: {
      kinds: new Int32Array(eventCount),
      at: new Float64Array(eventCount),
      hours: new Int32Array(eventCount),
      pages: new Int32Array(eventCount),
      names: new Int32Array(eventCount),
      engagedMs: new Int32Array(eventCount).fill(-1),
      props: undefined,
    },
    orphans: [],
  }
}

function createColumns<Name extends string>(names: readonly Name[], length: number): Record<Name, Int32Array> {
  return Object.fromEntries(names.map((name) => [name, new Int32Array(length)])) as Record<Name, Int32Array>
}
