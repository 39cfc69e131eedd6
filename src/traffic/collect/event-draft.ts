/** An event while it is processed, between its request and the row that stores it. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Origin, TrafficEvent } from '../model/event.ts'
import type { SentEvent } from './body.ts'
import type { GeoLocation } from './geolocation/geolocation.ts'
import type { Referrer } from './origin/origin.ts'
import { formatHostname } from './page/hostname.ts'
import { formatPage } from './page/page.ts'
import type { UserAgentDetails } from './user-agent/user-agent.ts'
import type { TrackedWebsite } from './website/website-store.ts'

/** An event that waits in memory for its batch. Nothing else holds the visitor's IP address. */
export interface ReceivedEvent {
  sent: SentEvent
  at: number
  clientIp: string
  userAgent: string
  /** Only the headers that `pickHeaders` keeps. */
  headers: IncomingHttpHeaders
}

const usedHeaders = ['accept-language', 'sec-ch-ua', 'sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const

/** Keeps only the headers that a step reads. Others would take memory for as long as the event waits. */
export function pickHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const picked: Record<string, string | string[] | undefined> = {}
  for (const name of usedHeaders) if (headers[name] !== undefined) picked[name] = headers[name]
  return picked
}

/** Collects the results of the steps for one event and one of the domains that it names. */
export class EventDraft {
  readonly received: ReceivedEvent
  readonly domain: string
  /** Set by `findWebsite`, the first step. */
  website!: TrackedWebsite
  url: URL
  props: string | undefined
  referrer: Referrer | undefined
  origin: Origin = {}
  location: GeoLocation = {}
  userAgent: UserAgentDetails = {}
  language: string | undefined
  resolution: string | undefined
  day = ''
  hour = 0
  visitorId = 0
  /** A hash of the event's id for this website, as a UUID. null if the event has no id. */
  key: string | null = null

  constructor(received: ReceivedEvent, domain: string) {
    this.received = received
    this.domain = domain
    this.url = received.sent.url
    this.props = received.sent.props
  }

  toEvent(): TrafficEvent {
    const { at, sent } = this.received
    const event: TrafficEvent = {
      websiteId: this.website.id,
      kind: sent.name === 'pageview' ? 'view' : sent.name === 'engagement' ? 'engagement' : 'custom',
      at,
      day: this.day,
      hour: this.hour,
      visitor: this.visitorId,
      page: formatPage(this.url, sent.keepsHash),
      ...this.origin,
      ...this.location,
      ...this.userAgent,
    }
    const hostname = formatHostname(this.url.hostname)
    if (hostname !== undefined) event.hostname = hostname
    if (this.language !== undefined) event.language = this.language
    if (this.resolution !== undefined) event.resolution = this.resolution
    if (event.kind === 'custom') event.name = sent.name
    if (event.kind === 'engagement') event.engagedMs = sent.engagedMs
    if (this.props !== undefined && event.kind !== 'engagement') event.props = this.props
    if (sent.isPassive) event.passive = true
    return event
  }
}
