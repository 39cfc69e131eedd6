/** Runs `batchSteps` for each event of a batch. */
import type { Problem } from '../../lib/problem.ts'
import type { ObservedEvent } from '../dropped/arrival-recorder.ts'
import { findByDomain } from '../model/candidate-domains.ts'
import { type DropReason, isWebsiteDropReason, type WebsiteDropReason } from '../model/drop-reasons.ts'
import type { TrafficEvent } from '../model/event.ts'
import { EventDraft, type ReceivedEvent } from './event-draft.ts'
import { findListLine } from './ip/ip-list.ts'
import { type BatchContext, batchSteps, type StepDeps } from './steps.ts'
import type { WebsiteSnapshot } from './website/website-cache.ts'
import type { TrackedWebsite } from './website/website-store.ts'

/** Undefined means that the event is to be stored. */
export type EventOutcome = DropReason | Problem | undefined

export interface WebsiteDrop {
  website: TrackedWebsite
  at: number
  reason: WebsiteDropReason
}

export interface ProcessedBatch {
  events: TrafficEvent[]
  /** For each of `events`, the hash of its id, or null. */
  eventKeys: (string | null)[]
  /** For each of `events`, the index of the received event. */
  eventSources: number[]
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
  const find = (domain: string) => findByDomain(websiteSnapshot.byDomain, domain)
  const context: BatchContext = {
    ...deps,
    findWebsite: (domain) => websitesByDomain.getOrInsertComputed(domain, find),
    keys: new Set(),
  }
  const processed: ProcessedBatch = {
    events: [],
    eventKeys: [],
    eventSources: [],
    outcomes: [],
    drops: [],
    observedEvents: [],
  }
  for (const event of receivedEvents) processed.outcomes.push(processEvent(event, context, processed))
  return processed
}

/** An event counts for each of its websites that accepts it. It is refused or dropped only if no website accepts it. */
function processEvent(received: ReceivedEvent, context: BatchContext, processed: ProcessedBatch): EventOutcome {
  const { events, eventKeys, eventSources, drops, observedEvents, outcomes } = processed
  let outcome: EventOutcome = 'unknown_site'
  const eventCountBefore = events.length
  for (const domain of keepOnePerWebsite(received.sent.domains, context)) {
    const draft = new EventDraft(received, domain)
    const websiteOutcome = runSteps(draft, context)
    if (websiteOutcome === undefined) {
      events.push(draft.toEvent())
      eventKeys.push(draft.key)
      eventSources.push(outcomes.length)
    }
    const observedEvent = observe(draft, websiteOutcome)
    if (observedEvent !== undefined) observedEvents.push(observedEvent)
    if (websiteOutcome === undefined || websiteOutcome === 'unknown_site') continue
    outcome = websiteOutcome
    if (typeof websiteOutcome === 'string' && isWebsiteDropReason(websiteOutcome)) {
      drops.push({ website: draft.website, at: received.at, reason: websiteOutcome })
    }
  }
  return events.length > eventCountBefore ? undefined : outcome
}

/**
 * Returns undefined if no explanation is needed: for page views that were counted as expected, were duplicates or were refused,
 * and for all other events.
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
 * Marks events that were not stored because their ids were known. An event for several websites is a duplicate only if it is one for
 * all of them.
 */
export function markDuplicates({ eventSources, outcomes }: ProcessedBatch, duplicates: readonly number[]): void {
  if (duplicates.length === 0) return
  const duplicateIndexes = new Set(duplicates)
  const storedSources = new Set(eventSources.filter((_, index) => !duplicateIndexes.has(index)))
  for (const index of duplicates) {
    const source = eventSources[index] as number
    if (!storedSources.has(source)) outcomes[source] = 'duplicate'
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
