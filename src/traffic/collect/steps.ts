/**
 * Every step of an event between its request and the row that stores it, in order. A step can refuse an event with an error response, after which the sender
 * may try again. Or it can drop the event for a reason that the 202 response names in the X-Belfry-Dropped header.
 */

import type { IncomingHttpHeaders } from 'node:http'
import { findListLine, ipListIncludes } from '../../lib/ip-list.ts'
import { localDayAt } from '../../lib/local-day.ts'
import type { Problem, ProblemCode } from '../../lib/problem.ts'
import { HOUR_MS } from '../../shared/time.ts'
import type { ObservedEvent } from '../dropped/arrival-recorder.ts'
import { findByDomain } from '../model/candidate-domains.ts'
import { type DropReason, isWebsiteDropReason, type WebsiteDropReason } from '../model/drop-reasons.ts'
import type { Origin, TrafficEvent } from '../model/event.ts'
import type { SentEvent } from './body.ts'
import { parseLanguage, parseScreenResolution } from './browser-settings.ts'
import type { GeoLocation, LocateIp } from './geolocation/geolocation.ts'
import { isOriginParameter } from './origin/campaign.ts'
import { parseReferrer, type Referrer, resolveOrigin } from './origin/origin.ts'
import { formatHostname, formatPage } from './page/page.ts'
import { removeFromQuery, removeIgnoredParameters } from './page/query-parameters.ts'
import type { IsSpamReferrer } from './referrer-spam.ts'
import type { TrackedWebsite } from './store.ts'
import type { DetectBot } from './user-agent/bot.ts'
import type { ParseUserAgent, UserAgentDetails } from './user-agent/user-agent.ts'
import { computeVisitorId, type VisitorSalts } from './visitor-id.ts'
import type { WebsiteSnapshot } from './website-cache.ts'

/**
 * The steps that run for each event of a batch. An event that names several websites goes through them once per website.
 * The events that pass all steps are stored together, in one row of the inbox.
 */
export const batchSteps: readonly BatchStep[] = [
  { run: findWebsite, drops: ['unknown_site'] },
  { run: excludeBots, drops: ['bot', 'prefetch'] },
  { run: readReferrer },
  { run: excludeSpamReferrers, drops: ['spam_referrer'] },
  { run: excludeIps, drops: ['ip'] },
  { run: limitWebsite, refuses: 'rate_limited' },
  { run: cleanUrls },
  { run: findOrigin },
  { run: removeOriginParameters },
  { run: locateVisitor },
  { run: readBrowser },
  { run: identifyVisitor },
  // This step finds ids that occur twice in the batch. `insertBatchOnce` finds ids of earlier batches.
  { run: dropDuplicates, drops: ['duplicate'] },
]

interface BatchStep {
  run(draft: EventDraft, context: BatchContext): DropReason | Problem | undefined
  drops?: readonly DropReason[]
  refuses?: ProblemCode
}

/** Dependencies that all batches share. */
export interface StepDeps {
  detectBot: DetectBot
  isSpamReferrer: IsSpamReferrer
  locateIp: LocateIp
  parseUserAgent: ParseUserAgent
  salts: VisitorSalts
  /** Returns a UUID. */
  hashEventId(websiteId: number, id: string): string
  /** Counts an event for the website, or returns a problem if the website has reached its limit. */
  limitWebsite(websiteId: number): Problem | undefined
}

interface BatchContext extends StepDeps {
  /** The keys of the events that have passed all steps. */
  keys: Set<string>
  findWebsite(domain: string): TrackedWebsite | undefined
}

/** Undefined means that the event is to be stored. */
export type EventOutcome = DropReason | Problem | undefined

export interface WebsiteDrop {
  website: TrackedWebsite
  at: number
  reason: WebsiteDropReason
}

export interface ProcessedBatch {
  events: TrafficEvent[]
  /** For each of `events`, a hash of its id; null if the event has no id. */
  eventKeys: (string | null)[]
  /** For each of `events`, the index of the received event that it was created from. */
  receivedIndexes: number[]
  /** One for each received event, in the same order. */
  outcomes: EventOutcome[]
  drops: WebsiteDrop[]
  /** Events that may explain to an owner why the first visit of a website is missing. */
  observedEvents: ObservedEvent[]
}

export function processBatch(
  receivedEvents: readonly ReceivedEvent[],
  websiteSnapshot: WebsiteSnapshot,
  deps: StepDeps,
): ProcessedBatch {
  // Most events of a batch name the same domain, so each domain is looked up only once.
  const websitesByDomain = new Map<string, TrackedWebsite | undefined>()
  const findInSnapshot = (domain: string) => findByDomain(websiteSnapshot.byDomain, domain)
  const context: BatchContext = {
    ...deps,
    findWebsite: (domain) => websitesByDomain.getOrInsertComputed(domain, findInSnapshot),
    keys: new Set(),
  }
  const processedBatch: ProcessedBatch = {
    events: [],
    eventKeys: [],
    receivedIndexes: [],
    outcomes: [],
    drops: [],
    observedEvents: [],
  }
  for (const event of receivedEvents) processedBatch.outcomes.push(processEvent(event, context, processedBatch))
  return processedBatch
}

/** An event counts for each of its websites that accepts it. It is refused or dropped only if no website accepts it. */
function processEvent(
  receivedEvent: ReceivedEvent,
  context: BatchContext,
  processedBatch: ProcessedBatch,
): EventOutcome {
  const { events, eventKeys, receivedIndexes, drops, observedEvents, outcomes } = processedBatch
  let outcome: EventOutcome = 'unknown_site'
  const eventCountBefore = events.length
  for (const domain of keepOnePerWebsite(receivedEvent.sent.domains, context)) {
    const draft = new EventDraft(receivedEvent, domain)
    const websiteOutcome = runSteps(draft, context)
    if (websiteOutcome === undefined) {
      events.push(draft.toEvent())
      eventKeys.push(draft.key)
      receivedIndexes.push(outcomes.length)
    }
    const observedEvent = observe(draft, websiteOutcome)
    if (observedEvent !== undefined) observedEvents.push(observedEvent)
    if (websiteOutcome === undefined || websiteOutcome === 'unknown_site') continue
    outcome = websiteOutcome
    if (typeof websiteOutcome === 'string' && isWebsiteDropReason(websiteOutcome)) {
      drops.push({ website: draft.website, at: receivedEvent.at, reason: websiteOutcome })
    }
  }
  return events.length > eventCountBefore ? undefined : outcome
}

/**
 * Returns undefined for events that need no explanation: page views that were counted as expected, were duplicates or were refused,
 * and all events that are not page views.
 */
function observe({ domain, received, website }: EventDraft, outcome: EventOutcome): ObservedEvent | undefined {
  const { clientIp, sent } = received
  if (sent.name !== 'pageview' || outcome === 'duplicate') return undefined
  const host = sent.url.hostname
  if (typeof outcome === 'string') {
    const observedEvent = { dropReason: outcome, website, domain, host, clientIp }
    return outcome === 'ip'
      ? { ...observedEvent, findExclusion: () => findListLine(website.excludeIps, clientIp) ?? '' }
      : observedEvent
  }
  if (outcome !== undefined || host === '' || isHostOf(host, website.domain)) return undefined
  return { dropReason: undefined, website, domain: website.domain, host, clientIp }
}

/**
 * Marks events that were not stored because an event with the same id was stored before. An event for several websites
 * is a duplicate only if it is one for all of them.
 */
export function markDuplicates({ receivedIndexes, outcomes }: ProcessedBatch, duplicates: readonly number[]): void {
  if (duplicates.length === 0) return
  const duplicateIndexes = new Set(duplicates)
  const storedIndexes = new Set(receivedIndexes.filter((_, index) => !duplicateIndexes.has(index)))
  for (const index of duplicates) {
    const receivedIndex = receivedIndexes[index] as number
    if (!storedIndexes.has(receivedIndex)) outcomes[receivedIndex] = 'duplicate'
  }
}

/** Whether the host is the domain or a subdomain of it. Creates no strings, because this runs for every counted event. */
function isHostOf(host: string, domain: string): boolean {
  const extraLength = host.length - domain.length
  return host.endsWith(domain) && (extraLength === 0 || host[extraLength - 1] === '.')
}

/** An event that names two subdomains of a website counts for it once. */
function keepOnePerWebsite(domains: readonly string[], context: BatchContext): readonly string[] {
  if (domains.length === 1) return domains
  return [...new Map(domains.map((domain) => [context.findWebsite(domain), domain])).values()]
}

function runSteps(draft: EventDraft, context: BatchContext): EventOutcome {
  for (const step of batchSteps) {
    const outcome = step.run(draft, context)
    if (outcome !== undefined) return outcome
  }
  return undefined
}

/** An event that waits in memory for its batch. It contains the visitor's IP address, which is never stored. */
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
  const pickedHeaders: Record<string, string | string[] | undefined> = {}
  for (const name of usedHeaders) if (headers[name] !== undefined) pickedHeaders[name] = headers[name]
  return pickedHeaders
}

/** Collects the results of the steps for one event and one of the domains that it names. */
class EventDraft {
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
  /** A UUID that is a hash of the website and the event's id; null if the event has no id. */
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

function findWebsite(draft: EventDraft, context: BatchContext): DropReason | undefined {
  const website = context.findWebsite(draft.domain)
  if (website === undefined) return 'unknown_site'
  draft.website = website
  return undefined
}

function excludeBots({ received, website }: EventDraft, { detectBot }: BatchContext): DropReason | undefined {
  const { headers, sent, userAgent } = received
  return website.excludeBots === 1 ? detectBot({ userAgent, headers, isAutomated: sent.isAutomated }) : undefined
}

function readReferrer(draft: EventDraft): undefined {
  const { referrer } = draft.received.sent
  if (referrer !== undefined) draft.referrer = parseReferrer(referrer)
}

/** Programs send referrer spam, so it counts on websites that count bots. */
function excludeSpamReferrers({ referrer, website }: EventDraft, context: BatchContext): DropReason | undefined {
  if (referrer === undefined || website.excludeBots !== 1) return undefined
  return context.isSpamReferrer(referrer.host) ? 'spam_referrer' : undefined
}

function excludeIps({ received, website }: EventDraft): DropReason | undefined {
  return ipListIncludes(website.excludeIps, received.clientIp) ? 'ip' : undefined
}

function limitWebsite({ website }: EventDraft, context: BatchContext): Problem | undefined {
  return context.limitWebsite(website.id)
}

/** Removes ignored parameters from the URL before later steps read it, and from links in properties. */
function cleanUrls(draft: EventDraft): undefined {
  const { excludeParams } = draft.website
  if (excludeParams === null) return
  draft.url = removeIgnoredParameters(draft.url, excludeParams)
  if (draft.props?.includes('://')) draft.props = cleanLinks(draft.props, excludeParams)
}

function cleanLinks(props: string, excludeParams: string): string {
  return JSON.stringify(JSON.parse(props), (_name, value) => {
    const link = typeof value === 'string' && /^https?:\/\//i.test(value) ? URL.parse(value) : null
    if (link === null) return value
    const cleanedLink = removeIgnoredParameters(link, excludeParams)
    return cleanedLink === link ? value : cleanedLink.href
  })
}

function findOrigin(draft: EventDraft): undefined {
  draft.origin = resolveOrigin(draft.url, draft.referrer, draft.website.domain)
}

/** Removes the parameters that became the source or the campaign, because they are no part of the page. */
function removeOriginParameters(draft: EventDraft): undefined {
  draft.url = removeFromQuery(draft.url, isOriginParameter)
}

function locateVisitor(draft: EventDraft, { locateIp }: BatchContext): undefined {
  draft.location = locateIp(draft.received.clientIp)
}

function readBrowser(draft: EventDraft, { parseUserAgent }: BatchContext): undefined {
  const { headers, sent, userAgent } = draft.received
  draft.userAgent = parseUserAgent(userAgent)
  draft.language = parseLanguage(headers['accept-language'])
  draft.resolution = parseScreenResolution(sent.resolution)
}

/**
 * Computes the visitor id. Apart from the location, it is the only value of a stored event that depends on the IP
 * address.
 */
function identifyVisitor(draft: EventDraft, { salts }: BatchContext): undefined {
  const { at, clientIp, userAgent } = draft.received
  const { day, startsAt } = localDayAt(draft.website.timeZone, at)
  draft.day = day
  draft.hour = Math.floor((at - startsAt) / HOUR_MS)
  draft.visitorId = computeVisitorId(salts.get(day), draft.website.id, clientIp, userAgent)
}

/**
 * Ids are compared per website: an event that names several websites can be a duplicate for one of them and new for
 * another.
 */
function dropDuplicates(draft: EventDraft, { hashEventId, keys }: BatchContext): DropReason | undefined {
  const { id } = draft.received.sent
  if (id === undefined) return undefined
  draft.key = hashEventId(draft.website.id, id)
  if (keys.has(draft.key)) return 'duplicate'
  keys.add(draft.key)
  return undefined
}
