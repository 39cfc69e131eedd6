/** An event as it waits in the inbox: after all steps, and without the IP address and the user agent of the visitor. */
import type { VisitOriginDimension, VisitorDimension } from './dimensions.ts'

export const eventKinds = { view: 1, custom: 2, engagement: 3 } as const
export type EventKind = keyof typeof eventKinds

/** Where a visit comes from. Unknown values are omitted. */
export type Origin = Partial<Record<VisitOriginDimension, string>>

/** What is known about the visitor. Unknown values are omitted. */
export type VisitorDetails = Partial<Record<VisitorDimension, string>>

export interface TrafficEvent extends Origin, VisitorDetails {
  websiteId: number
  kind: EventKind
  /** Milliseconds since 1970. */
  at: number
  /** YYYY-MM-DD in the time zone of the website. */
  day: string
  /** Whole hours since that day began. */
  hour: number
  /** A safe integer that is the same for all events of a visitor on one day, and changes from day to day. */
  visitor: number
  /** Path and query, without ignored parameters and without parameters that say where the visit comes from. */
  page: string
  /** Custom events only. */
  name?: string
  /** A JSON object. */
  props?: string
  /**
   * A passive event is not an interaction. A visit is a bounce if it has at most one page view and all its other events
   * are passive.
   */
  passive?: true
  /** Engagement events only: how long the visitor viewed the page. */
  engagedMs?: number
}
