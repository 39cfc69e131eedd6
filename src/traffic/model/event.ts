/** An event as it is kept until it has been added up: everything about it is known, and nothing of who caused it. */

export const kinds = { view: 1, custom: 2, engagement: 3 } as const
export type EventKind = keyof typeof kinds

/** What is not known is left out. */
export interface Origin {
  referrer?: string
  source?: string
  campaign?: string
}

export interface Visitor {
  country?: string
  region?: string
  city?: string
  language?: string
  browser?: string
  os?: string
  device?: string
  resolution?: string
}

export interface TrafficEvent extends Origin, Visitor {
  websiteId: number
  kind: EventKind
  /** Milliseconds since 1970. */
  at: number
  /** By the clock of the website: YYYY-MM-DD, and whole hours since that day began. */
  day: string
  hour: number
  /** At most 53 bits. The same for all events of somebody on one day, and of no other day. */
  visitor: number
  /** The path, with what is left of the query. */
  page: string
  /** Of a custom event. */
  name?: string
  /** A JSON object. */
  props?: string
  /** It happened by itself: a visit with nothing else is still a bounce. */
  passive?: true
  /** Of an engagement: how long somebody looked at the page. */
  engagedMs?: number
}
