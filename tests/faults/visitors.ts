/** Simulated visitors that send events to nodes which may be killed, and record the response to each event. */
import { setTimeout as delay } from 'node:timers/promises'
import { addDays } from '../../src/lib/local-day.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { browsers } from '../support/traffic.ts'

/** Together the visitors send several hundred events per second in `npm run faults`, and about twenty otherwise. */
const EVENT_INTERVAL_MS = isFaultsRun ? 5 : 400
const VISITOR_COUNT = 8
/** Delay after an event that was not accepted. */
const RETRY_DELAY_MS = isFaultsRun ? 50 : 200
const RESPONSE_TIMEOUT_MS = 20_000

const agents = Object.values(browsers).map(({ agent }) => agent)
const addresses = ['81.2.69.142', '8.8.8.8', '2a02:8100::1', '10.1.2.3']
const referrers = [null, 'https://www.google.com/', 'https://news.ycombinator.com/item?id=1']

export interface Visitors {
  /** The pages of all sent events. Each event has its own page. */
  sentPages: Set<string>
  /** The pages of events that got a 202. */
  acknowledgedPages: Set<string>
  /** Responses with 503 and Retry-After. */
  refusedCount: number
  /** Repeats of events that were stored although their client got no 202. */
  duplicateCount: number
  /** Requests without a response. */
  failedCount: number
  /** Responses that a tracker should never get. */
  unexpectedResponses: string[]
  /** The longest time until a response. */
  slowestMs: number
  /**
   * When the last event that a node acknowledged was sent, as a time of `performance.now()`, by the URL of the node.
   */
  lastAcknowledgedAt: Map<string, number>
  /** Resolves when the running requests have ended. */
  stop(): Promise<void>
}

export interface VisitorOptions {
  domains: readonly string[]
  /** The URLs of the nodes that are running. */
  listNodeUrls: () => string[]
  random: () => number
  /** Events have ids, and a visitor repeats an event until it is acknowledged. */
  repeatsEvents?: boolean
  /** Delay between the events of a visitor. */
  eventIntervalMs?: number
}

export function startVisitors(options: VisitorOptions): Visitors {
  const { eventIntervalMs = EVENT_INTERVAL_MS } = options
  let isStopped = false
  const visitors: Visitors = {
    sentPages: new Set(),
    acknowledgedPages: new Set(),
    refusedCount: 0,
    duplicateCount: 0,
    failedCount: 0,
    unexpectedResponses: [],
    slowestMs: 0,
    lastAcknowledgedAt: new Map(),
    async stop() {
      isStopped = true
      await Promise.all(sendLoops)
    },
  }
  const sendLoops = Array.from({ length: VISITOR_COUNT }, async (_, n) => {
    let event: VisitorEvent | undefined
    while (!isStopped) {
      event ??= createRandomEvent(visitors, options)
      const isAccepted = await sendVisitorEvent(visitors, options, n, event)
      if (isAccepted || !options.repeatsEvents) event = undefined
      await delay(isAccepted ? eventIntervalMs : RETRY_DELAY_MS)
    }
  })
  return visitors
}

interface VisitorEvent {
  page: string
  body: object
}

function createRandomEvent({ sentPages }: Visitors, { domains, random, repeatsEvents }: VisitorOptions): VisitorEvent {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const page = `/sent/${sentPages.size}`
  sentPages.add(page)
  const domain = pick(domains)
  const body = {
    n: pick(['pageview', 'pageview', 'pageview', 'signup', 'engagement']),
    u: `https://${domain}${page}`,
    d: domain,
    r: pick(referrers),
    e: 2_000,
    ...(repeatsEvents && { id: page }),
  }
  return { page, body }
}

/** Sends an event of a visitor to a random node. Resolves with whether the event was accepted. */
async function sendVisitorEvent(
  visitors: Visitors,
  { listNodeUrls, random, repeatsEvents = false }: VisitorOptions,
  index: number,
  { page, body }: VisitorEvent,
): Promise<boolean> {
  const urls = listNodeUrls()
  const url = urls[Math.floor(random() * urls.length)]
  if (url === undefined) return false
  const sentAt = performance.now()
  try {
    const response = await fetch(`${url}/api/event`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': 'text/plain',
        'user-agent': agents[index % agents.length] as string,
        'x-forwarded-for': addresses[index % addresses.length] as string,
      },
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
    })
    const text = await response.text()
    const reason = response.headers.get('x-belfry-dropped')
    visitors.slowestMs = Math.max(visitors.slowestMs, performance.now() - sentAt)
    if (response.status === 202 && (reason === null || (repeatsEvents && reason === 'duplicate'))) {
      if (reason === 'duplicate') visitors.duplicateCount++
      visitors.acknowledgedPages.add(page)
      visitors.lastAcknowledgedAt.set(url, sentAt)
    } else if (response.status === 503 && response.headers.has('retry-after')) visitors.refusedCount++
    else visitors.unexpectedResponses.push(`${response.status} ${reason} ${text}`)
    return response.status === 202
  } catch {
    visitors.failedCount++
    return false
  }
}

const LATE_DAY_COUNT = 20
/** Late events are at least this old. Then their days are over in every time zone, so the nodes pack the visits of these days. */
const MIN_LATE_AGE_DAYS = 3
export const LATE_EVENT_COUNT = isFaultsRun ? 1_500 : 150
const LATE_VISITOR_COUNT = 25

export type GenerateLateEvents = () => TrafficEvent[]

/** Creates a generator of events of past days. Each event has its own page. */
export function createLateEventGenerator(sites: readonly { id: number }[], random: () => number): GenerateLateEvents {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  let generatedCount = 0
  const generateOne = (): TrafficEvent => {
    const today = new Date().toISOString().slice(0, 10)
    const day = addDays(today, -MIN_LATE_AGE_DAYS - Math.floor(random() * LATE_DAY_COUNT))
    const hour = Math.floor(random() * 24)
    return {
      websiteId: pick(sites).id,
      kind: random() < 0.8 ? 'view' : 'custom',
      at: Date.parse(day) + Math.floor((hour + random()) * HOUR_MS),
      day,
      hour,
      visitor: 1 + Math.floor(random() * LATE_VISITOR_COUNT),
      page: `/late/${generatedCount++}`,
      name: 'bought',
      source: pick(['Direct', 'Google']),
      country: pick(['DE', 'FR']),
    }
  }
  return () => Array.from({ length: LATE_EVENT_COUNT }, generateOne)
}
