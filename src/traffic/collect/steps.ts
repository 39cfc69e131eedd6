/** What becomes of an event, step by step. A step may drop it, with a reason out of a closed set. */
import type { IncomingHttpHeaders } from 'node:http'
import { HOUR_MS, localDayOf } from '../../lib/local-day.ts'
import type { SiteDropReason } from '../model/drop-reasons.ts'
import type { Origin, TrafficEvent, Visitor } from '../model/event.ts'
import { holdsAddress } from './address-list.ts'
import type { loadAgentReader } from './agent.ts'
import type { SentEvent } from './body.ts'
import type { loadBotCheck } from './bot.ts'
import { languageOf } from './language.ts'
import { originOf } from './origin.ts'
import { pageOf, withoutExcluded } from './page.ts'
import type { loadPlaces } from './place.ts'
import { resolutionOf } from './resolution.ts'
import type { TrackedSite } from './site-store.ts'
import { type Salts, visitorOf } from './visitor.ts'

/** An event as it arrived. The address lives no longer than this. */
export interface Arrival {
  sent: SentEvent
  at: number
  address: string
  userAgent: string
  /** Those that `headersOf` keeps. */
  headers: IncomingHttpHeaders
}

const kept = ['accept-language', 'sec-ch-ua', 'sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const

/** Of all headers, those that a step looks at: what waits must not be larger than it was counted. */
export function headersOf(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const found: Record<string, string | string[] | undefined> = {}
  for (const name of kept) if (headers[name] !== undefined) found[name] = headers[name]
  return found
}

/** What is found out about it on the way. */
interface Draft {
  arrival: Arrival
  site: TrackedSite
  url: URL
  props: string | undefined
  origin: Origin
  visitor: Visitor
}

export interface Tools {
  botOf: Awaited<ReturnType<typeof loadBotCheck>>
  readAgent: Awaited<ReturnType<typeof loadAgentReader>>
  placeOf: Awaited<ReturnType<typeof loadPlaces>>
  salts: Salts
}

type Step = (draft: Draft, tools: Tools) => SiteDropReason | undefined

const bots: Step = ({ arrival: { headers, sent, userAgent }, site }, { botOf }) =>
  site.excludeBots === 1 ? botOf({ userAgent, headers, isDriven: sent.isDriven }) : undefined

const addresses: Step = ({ arrival, site }) => (holdsAddress(site.excludeIps, arrival.address) ? 'ip' : undefined)

/** Before anything else sees the query: what is excluded is neither a page's nor a campaign's, nor a link's that was followed. */
const params: Step = (draft) => {
  const { sent } = draft.arrival
  draft.url = withoutExcluded(sent.url, draft.site.excludeParams)
  draft.props = draft.site.excludeParams === null ? sent.props : linksWithout(sent.props, draft.site.excludeParams)
  return undefined
}

function linksWithout(props: string | undefined, list: string): string | undefined {
  if (props === undefined || !props.includes('://')) return props
  return JSON.stringify(JSON.parse(props), (_name, value) => {
    const link = typeof value === 'string' && /^https?:\/\//i.test(value) ? URL.parse(value) : null
    if (link === null) return value
    const kept = withoutExcluded(link, list)
    return kept === link ? value : kept.href
  })
}

const origin: Step = (draft) => {
  draft.origin = originOf(draft.url, draft.arrival.sent.referrer, draft.site.domain)
  return undefined
}

const visitor: Step = (draft, { placeOf, readAgent }) => {
  const { address, headers, sent, userAgent } = draft.arrival
  const visitor: Visitor = { ...placeOf(address), ...readAgent(userAgent) }
  const language = languageOf(headers['accept-language'])
  const resolution = resolutionOf(sent.resolution)
  if (language !== undefined) visitor.language = language
  if (resolution !== undefined) visitor.resolution = resolution
  draft.visitor = visitor
  return undefined
}

/** In this order. The site was found before, the address goes after. */
const steps: readonly Step[] = [bots, addresses, params, origin, visitor]

export function passSteps(arrival: Arrival, site: TrackedSite, tools: Tools): TrafficEvent | SiteDropReason {
  const draft: Draft = { arrival, site, url: arrival.sent.url, props: arrival.sent.props, origin: {}, visitor: {} }
  for (const step of steps) {
    const reason = step(draft, tools)
    if (reason !== undefined) return reason
  }
  return eventOf(draft, tools)
}

function eventOf({ arrival, site, url, props, origin, visitor }: Draft, { salts }: Tools): TrafficEvent {
  const { at, address, sent, userAgent } = arrival
  const { day, startsAt } = localDayOf(site.timeZone, at)
  const event: TrafficEvent = {
    websiteId: site.id,
    kind: sent.name === 'pageview' ? 'view' : sent.name === 'engagement' ? 'engagement' : 'custom',
    at,
    day,
    hour: Math.floor((at - startsAt) / HOUR_MS),
    visitor: visitorOf(salts.find(day), site.id, address, userAgent),
    page: pageOf(url, sent.keepsHash),
    ...origin,
    ...visitor,
  }
  if (event.kind === 'custom') event.name = sent.name
  if (event.kind === 'engagement') event.engagedMs = sent.engagedMs
  if (props !== undefined && event.kind !== 'engagement') event.props = props
  if (sent.isPassive) event.passive = true
  return event
}
