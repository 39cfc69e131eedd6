/** Runs `batchSteps` for each event of a batch. */
import type { Problem } from '../../lib/problem.ts'
import type { DropReason, WebsiteDropReason } from '../model/drop-reasons.ts'
import type { TrafficEvent } from '../model/event.ts'
import { EventDraft, type ReceivedEvent } from './event-draft.ts'
import { type BatchContext, batchSteps, type StepDeps } from './steps.ts'
import { findWebsiteByDomain, type WebsiteSnapshot } from './website/website-cache.ts'
import type { TrackedWebsite } from './website/website-store.ts'

/** Undefined means that the event is to be stored. */
export type EventOutcome = DropReason | Problem | undefined

export interface WebsiteDrop {
  website: TrackedWebsite
  at: number
  reason: WebsiteDropReason
}

interface ProcessedBatch {
  events: TrafficEvent[]
  /** One for each received event, in the same order. */
  outcomes: EventOutcome[]
  drops: WebsiteDrop[]
}

export function processBatch(
  receivedEvents: readonly ReceivedEvent[],
  websiteSnapshot: WebsiteSnapshot,
  deps: StepDeps,
): ProcessedBatch {
  // Most events of a batch name the same domain, so each domain is looked up only once.
  const websitesByDomain = new Map<string, TrackedWebsite | undefined>()
  const find = (domain: string) => findWebsiteByDomain(websiteSnapshot, domain)
  const context: BatchContext = { ...deps, findWebsite: (domain) => websitesByDomain.getOrInsertComputed(domain, find) }
  const processed: ProcessedBatch = { events: [], outcomes: [], drops: [] }
  for (const event of receivedEvents) processed.outcomes.push(processEvent(event, context, processed))
  return processed
}

/** An event counts for each of its websites that accepts it. It is refused or dropped only if no website accepts it. */
function processEvent(received: ReceivedEvent, context: BatchContext, { events, drops }: ProcessedBatch): EventOutcome {
  let outcome: EventOutcome = 'unknown_site'
  const eventCountBefore = events.length
  for (const domain of keepOnePerWebsite(received.sent.domains, context)) {
    const draft = new EventDraft(received, domain)
    const websiteOutcome = runSteps(draft, context)
    if (websiteOutcome === undefined) events.push(draft.toEvent())
    if (websiteOutcome === undefined || websiteOutcome === 'unknown_site') continue
    outcome = websiteOutcome
    if (typeof websiteOutcome === 'string') {
      drops.push({ website: draft.website, at: received.at, reason: websiteOutcome })
    }
  }
  return events.length > eventCountBefore ? undefined : outcome
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
