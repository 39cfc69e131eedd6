/** Visitors who send events to nodes that may die under them, and remember what they were told about each. */
import { setTimeout as pause } from 'node:timers/promises'
import { addDays, HOUR_MS } from '../../src/lib/local-day.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { browsers } from '../support/traffic.ts'

/** Between two events of a visitor. As many visitors as there are here make several hundred events a second of it. */
const PAUSE_MS = 5
const VISITORS = 8
/** Whoever gets no answer waits a little, as people do. */
const REFUSED_MS = 50
const ANSWER_MOST_MS = 20_000

const agents = Object.values(browsers).map(({ agent }) => agent)
const addresses = ['81.2.69.142', '8.8.8.8', '2a02:8100::1', '10.1.2.3']
const referrers = [null, 'https://www.google.com/', 'https://news.ycombinator.com/item?id=1']

export interface Visitors {
  /** Each event has a page of its own. Those that were sent, and those that are promised to be kept. */
  sent: Set<string>
  acknowledged: Set<string>
  /** Honest refusals, and answers that never came. */
  refused: number
  unanswered: number
  /** Answers that nobody should ever get. */
  strange: string[]
  /** No more of them, once those under way are answered. */
  stop(): Promise<void>
}

export interface Audience {
  domains: readonly string[]
  /** Of the nodes that are there at the moment. */
  urls: () => string[]
  random: () => number
}

export function startVisitors(audience: Audience): Visitors {
  let isOver = false
  const visitors: Visitors = {
    sent: new Set(),
    acknowledged: new Set(),
    refused: 0,
    unanswered: 0,
    strange: [],
    async stop() {
      isOver = true
      await Promise.all(all)
    },
  }
  const all = Array.from({ length: VISITORS }, async (_, n) => {
    while (!isOver) await pause((await visit(visitors, audience, n)) ? PAUSE_MS : REFUSED_MS)
  })
  return visitors
}

/** Answers whether somebody listened. */
async function visit(visitors: Visitors, { domains, urls, random }: Audience, n: number): Promise<boolean> {
  const any = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const page = `/sent/${visitors.sent.size}`
  const domain = any(domains)
  const body = {
    n: any(['pageview', 'pageview', 'pageview', 'signup', 'engagement']),
    u: `https://${domain}${page}`,
    d: domain,
    r: any(referrers),
    e: 2_000,
  }
  const url = any(urls())
  if (url === undefined) return false
  visitors.sent.add(page)
  try {
    const response = await fetch(`${url}/api/event`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': 'text/plain',
        'user-agent': agents[n % agents.length] as string,
        'x-forwarded-for': addresses[n % addresses.length] as string,
      },
      signal: AbortSignal.timeout(ANSWER_MOST_MS),
    })
    const text = await response.text()
    const reason = response.headers.get('x-belfry-dropped')
    if (response.status === 202 && reason === null) visitors.acknowledged.add(page)
    else if (response.status === 503 && response.headers.has('retry-after')) visitors.refused++
    else visitors.strange.push(`${response.status} ${reason} ${text}`)
    return response.status === 202
  } catch {
    visitors.unanswered++
    return false
  }
}

/** Old enough to be packed. */
const LATE_DAYS = 20
const LATE_AFTER_DAYS = 3
export const LATE_EVENTS = 1_500
const LATE_VISITORS = 25

export type LateMaker = () => TrafficEvent[]

/** Events of days that are long over; each has a page of its own as well. */
export function makeLate(sites: readonly { id: number }[], random: () => number): LateMaker {
  const any = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  let made = 0
  const makeOne = (): TrafficEvent => {
    const today = new Date().toISOString().slice(0, 10)
    const day = addDays(today, -LATE_AFTER_DAYS - Math.floor(random() * LATE_DAYS))
    const hour = Math.floor(random() * 24)
    return {
      websiteId: any(sites).id,
      kind: random() < 0.8 ? 'view' : 'custom',
      at: Date.parse(day) + Math.floor((hour + random()) * HOUR_MS),
      day,
      hour,
      visitor: 1 + Math.floor(random() * LATE_VISITORS),
      page: `/late/${made++}`,
      name: 'bought',
      source: any(['Direct', 'Google']),
      country: any(['DE', 'FR']),
    }
  }
  return () => Array.from({ length: LATE_EVENTS }, makeOne)
}
