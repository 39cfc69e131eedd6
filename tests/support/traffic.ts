/** Visitors of a website, and what their events come to by counting one by one. */
import { expect } from 'vitest'
import { countHours, formatHourStart, listDays, localDay, localDayOf } from '../../src/lib/local-day.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import type { Client } from './client.ts'
import type { TestServer } from './server.ts'

export const browsers = {
  chrome: {
    agent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    visitor: { browser: 'Chrome', os: 'Windows', device: 'desktop' },
  },
  safari: {
    agent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    visitor: { browser: 'Safari', os: 'iOS', device: 'mobile' },
  },
  firefox: {
    agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
    visitor: { browser: 'Firefox', os: 'GNU/Linux', device: 'desktop' },
  },
} as const
export type Browser = keyof typeof browsers

export interface Visit {
  address?: string
  browser?: Browser
  agent?: string
  headers?: Record<string, string>
}

/** As a tracker of that visitor would. */
export async function send(server: TestServer, body: unknown, visit: Visit = {}) {
  const { address = '81.2.69.142', browser = 'chrome', headers = {} } = visit
  return server.anyone.call('POST', '/api/event', {
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'text/plain',
      'user-agent': visit.agent ?? browsers[browser].agent,
      'x-forwarded-for': address,
      ...headers,
    },
  })
}

export async function view(server: TestServer, domain: string, path: string, visit?: Visit, more: object = {}) {
  const answer = await send(
    server,
    { n: 'pageview', u: `https://${domain}${path}`, d: domain, r: null, ...more },
    visit,
  )
  expect(answer.status).toBe(202)
  return answer
}

export async function createSite(owner: { session: Client }, domain: string, settings: object = {}): Promise<number> {
  const answer = await owner.session.post('/api/v1/websites', { domain, ...settings })
  expect(answer.status).toBe(201)
  return answer.body.data.id
}

export async function statistics(client: Client, id: number, query: string) {
  const answer = await client.get(`/api/v1/stats/${id}?${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data as { value: string; count: number }[]
}

export async function overview(client: Client, id: number, query = '') {
  const answer = await client.get(`/api/v1/stats/${id}/overview?${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.data
}

/** An event as the test made it: what a website should know of it. */
export interface MadeEvent {
  at: number
  kind: 'pageview' | 'engagement' | 'custom'
  visitor: string
  page: string
  name?: string
  passive?: boolean
  referrer?: string
  source?: string
  campaign?: string
  country?: string
  continent?: string
  region?: string
  city?: string
  language?: string
  browser?: string
  os?: string
  device?: string
  resolution?: string
}

const PAUSE_MS = 30 * 60_000
const ofVisitor = [
  'continent',
  'country',
  'region',
  'city',
  'language',
  'browser',
  'os',
  'device',
  'resolution',
] as const
const ofVisit = ['referrer', 'source', 'campaign'] as const

interface CountedVisit {
  first: MadeEvent
  events: MadeEvent[]
  lastAt: number
  ofVisitor: MadeEvent
}

export type Fits = (event: MadeEvent, visit: { landing: string; exit: string; first: MadeEvent }) => boolean

/** Every answer there can be, worked out the slow way: from the list of events and nothing else. */
export function countSlowly(
  events: readonly MadeEvent[],
  zone: string,
  range: { from: string; to: string },
  fits?: Fits,
) {
  const dayOf = (event: MadeEvent) => localDayOf(zone, event.at).day
  const panels: Record<string, Map<string, number>> = {}
  const count = (panel: string, value: string | undefined, by = 1) => {
    if (value === undefined) return
    panels[panel] ??= new Map()
    panels[panel].set(value, (panels[panel].get(value) ?? 0) + by)
  }
  const totals = { visitors: 0, pageviews: 0, visits: 0, events: 0 }
  let bounces = 0
  let durationMs = 0
  const within = events.filter((event) => dayOf(event) >= range.from && dayOf(event) <= range.to)
  const days = Map.groupBy(within, (event) => `${dayOf(event)} ${event.visitor}`)
  for (const own of days.values()) {
    const visits = visitsOf(own).map((visit) => ({
      ...visit,
      hits: visit.events.filter((event) => hits(event, visit)),
    }))
    const seen = visits.filter(({ hits }) => hits.length > 0)
    if (seen.length === 0) continue
    const day = dayOf(own[0] as MadeEvent)
    totals.visitors++
    count('visitors', day)
    const distinct = new Set<string>()
    const once = (panel: string, value: string | undefined) => {
      if (value === undefined || distinct.has(`${panel} ${value}`)) return
      distinct.add(`${panel} ${value}`)
      count(panel, value)
    }
    for (const visit of seen) {
      const views = visit.events.filter(({ kind }) => kind === 'pageview')
      totals.visits++
      durationMs += visit.lastAt - visit.first.at
      if (views.length === 1 && !visit.events.some(({ kind, passive }) => kind === 'custom' && !passive)) bounces++
      for (const name of ofVisitor) once(name, visit.ofVisitor[name])
      for (const name of ofVisit) once(name, visit.first[name])
      once('landing_page', views[0]?.page)
      once('exit_page', views.at(-1)?.page)
      for (const event of visit.hits) {
        once('visitors_hours', hourOf(event))
        if (event.kind === 'custom') {
          totals.events++
          count('event', event.name)
        } else {
          totals.pageviews++
          count('pageviews', day)
          count('pageviews_hours', hourOf(event))
          count('page', event.page)
        }
      }
    }
  }
  return {
    totals: {
      ...totals,
      bounce_rate: totals.visits === 0 ? null : Math.round((1000 * bounces) / totals.visits) / 10,
      visit_duration: totals.visits === 0 ? null : Math.round(durationMs / totals.visits / 1000),
    },
    rows: (name: string) => [...(panels[name] ?? [])].map(([value, count]) => ({ value, count })),
    series: (name: string) => labels(name).map((value) => ({ value, count: panels[name]?.get(value) ?? 0 })),
  }

  function hits(event: MadeEvent, visit: CountedVisit): boolean {
    if (event.kind === 'engagement') return false
    const views = visit.events.filter(({ kind }) => kind === 'pageview')
    const about = { landing: views[0]?.page ?? '', exit: views.at(-1)?.page ?? '', first: visit.first }
    return fits === undefined || fits({ ...event, ...pick(visit.ofVisitor) }, about)
  }

  function hourOf(event: MadeEvent): string {
    const day = localDayOf(zone, event.at)
    return formatHourStart(zone, day, Math.floor((event.at - day.startsAt) / HOUR_MS))
  }

  function labels(name: string): string[] {
    const all = listDays(range.from, range.to)
    if (!name.endsWith('_hours')) return all
    return all.flatMap((text) => {
      const day = localDay(zone, text)
      return Array.from({ length: countHours(day) }, (_, hour) => formatHourStart(zone, day, hour))
    })
  }
}

function pick(event: MadeEvent): Partial<MadeEvent> {
  return Object.fromEntries(ofVisitor.map((name) => [name, event[name]]))
}

/** Of one visitor on one day, in the order of time. */
function visitsOf(events: readonly MadeEvent[]): CountedVisit[] {
  const visits: CountedVisit[] = []
  for (const event of events.toSorted((one, other) => one.at - other.at)) {
    const last = visits.at(-1)
    if (last !== undefined && event.at - last.lastAt < PAUSE_MS) {
      last.events.push(event)
      last.lastAt = event.at
    } else if (event.kind !== 'engagement') {
      visits.push({ first: event, events: [event], lastAt: event.at, ofVisitor: visits[0]?.first ?? event })
    }
  }
  return visits
}
