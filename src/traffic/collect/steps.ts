/**
 * Every step of collecting an event, in order. A step can refuse an event with an error response, after which the sender
 * may try again. Or it can drop the event for a reason that the 202 response names in the X-Belfry-Dropped header.
 */
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../lib/clock.ts'
import { localDayAt } from '../../lib/local-day.ts'
import type { Problem, ProblemCode } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import { HOUR_MS } from '../../shared/time.ts'
import type { DropReason } from '../model/drop-reasons.ts'
import { parseEventBody, type SentEvent } from './body.ts'
import type { Collector } from './collector.ts'
import { type EventDraft, pickHeaders } from './event-draft.ts'
import type { LocateIp } from './geolocation/geolocation.ts'
import { type EventRequest, resolveClientIp, toProxySettings } from './ip/client-ip.ts'
import { createIpLimit } from './ip/ip-limit.ts'
import { ipListIncludes } from './ip/ip-list.ts'
import { isOriginParameter } from './origin/campaign.ts'
import { parseReferrer, resolveOrigin } from './origin/origin.ts'
import { removeFromQuery, removeIgnoredParameters } from './page/query-parameters.ts'
import type { IsSpamReferrer } from './referrer-spam/referrer-spam.ts'
import type { DetectBot } from './user-agent/bot.ts'
import type { ParseUserAgent } from './user-agent/user-agent.ts'
import { parseLanguage, parseScreenResolution } from './visitor/browser-settings.ts'
import { computeVisitorId, type VisitorSalts } from './visitor/visitor-id.ts'
import type { TrackedWebsite } from './website/website-store.ts'

/** Besides its body, a waiting event holds the IP address, the user agent and a few headers. */
const EVENT_OVERHEAD_BYTES = 2_000

export interface EventMetrics {
  /** `outcome` is `accepted`, `malformed`, or the drop reason. */
  countEvent(outcome: string): void
}

interface CollectDeps {
  clock: Clock
  collector: Collector
  config: Config
  metrics: EventMetrics
  secret: Secret
}

export interface EventIntake {
  /** Counts the request for the limit of its IP address, and returns that address. Runs before the body is read. */
  admit(request: EventRequest): string
  /** Resolves once the event is stored, or with the reason why it was dropped. */
  collect(body: string | undefined, request: EventRequest, clientIp: string): Promise<DropReason | undefined>
}

/** Creates the functions that run the steps of a request. Then the event waits until its batch goes through `batchSteps`. */
export function createEventIntake({ clock, collector, config, metrics, secret }: CollectDeps): EventIntake {
  const proxySettings = toProxySettings(config)
  const limitIp = config.rateLimit === 0 ? () => {} : createIpLimit(clock, secret)
  return {
    admit(request) {
      const clientIp = resolveClientIp(request, proxySettings)
      limitIp(clientIp) // refuses: rate_limited
      return clientIp
    },
    async collect(body, request, clientIp) {
      const sent = parseBody(body, metrics) // refuses: malformed_request
      const { 'user-agent': userAgent = '' } = request.headers
      const event = { sent, at: clock.now().getTime(), clientIp, userAgent, headers: pickHeaders(request.headers) }
      const bytes = (body?.length ?? 0) * sent.domains.length + EVENT_OVERHEAD_BYTES
      const dropReason = await collector.enqueue(event, bytes) // refuses: unavailable
      metrics.countEvent(dropReason ?? 'accepted')
      return dropReason
    },
  }
}

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
  // `insertBatchOnce` drops events whose id was stored before, with another batch.
  { run: dropDuplicates, drops: ['duplicate'] },
]

export interface BatchStep {
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

export interface BatchContext extends StepDeps {
  /** The keys of the events that have passed all steps. */
  keys: Set<string>
  findWebsite(domain: string): TrackedWebsite | undefined
}

function parseBody(body: string | undefined, metrics: EventMetrics): SentEvent {
  try {
    return parseEventBody(body)
  } catch (error) {
    metrics.countEvent('malformed')
    throw error
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

/** Programs send these events, so the setting for bots decides about them. */
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
    const cleaned = removeIgnoredParameters(link, excludeParams)
    return cleaned === link ? value : cleaned.href
  })
}

function findOrigin(draft: EventDraft): undefined {
  draft.origin = resolveOrigin(draft.url, draft.referrer, draft.website.domain)
}

/** The page of an event has no parameters that became its source or campaign. */
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

/** Computes the visitor id. Apart from the location, it is the only stored value that depends on the IP address. */
function identifyVisitor(draft: EventDraft, { salts }: BatchContext): undefined {
  const { at, clientIp, userAgent } = draft.received
  const { day, startsAt } = localDayAt(draft.website.timeZone, at)
  draft.day = day
  draft.hour = Math.floor((at - startsAt) / HOUR_MS)
  draft.visitorId = computeVisitorId(salts.get(day), draft.website.id, clientIp, userAgent)
}

/** An id belongs to one website: an event that names several can be a duplicate for one of them and new for another. */
function dropDuplicates(draft: EventDraft, { hashEventId, keys }: BatchContext): DropReason | undefined {
  const { id } = draft.received.sent
  if (id === undefined) return undefined
  draft.key = hashEventId(draft.website.id, id)
  if (keys.has(draft.key)) return 'duplicate'
  keys.add(draft.key)
  return undefined
}
