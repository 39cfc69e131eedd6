/** What one user has been told, on however many connections, and what is news to them. */
import type { LiveMonitor, LiveTraffic, LiveVisitors } from './schema.ts'
import { liveMonitorOf, type StateRow, type Statuses } from './store.ts'
import type { EventStream } from './stream.ts'

/** Monitors in one event, so that no reader has to take in megabytes at once. */
const TOGETHER = 500
/** Between two words about the traffic of a website: whoever hears of it asks for its statistics. */
const TRAFFIC_MS = 3_000

export interface Listener {
  stream: EventStream
  sessionId: number
  monitor: { id: number; lastCheckedAt: number | undefined } | undefined
  website: { id: number; counted: number; toldAt: number } | undefined
}

export class Feed {
  readonly userId: number
  readonly listeners = new Set<Listener>()
  /** Changes are read from here on, again and again: they may be written a while after the time that they bear. */
  since: Date
  #known: Statuses
  /** undefined: not counted yet. */
  #visitors: Map<number, number> | undefined

  constructor(userId: number, since: Date, known: Statuses) {
    this.userId = userId
    this.since = since
    this.#known = known
  }

  get isNew(): boolean {
    return this.#visitors === undefined
  }

  add(listener: Listener, changed: readonly LiveMonitor[]): void {
    this.listeners.add(listener)
    for (const some of inParts(changed)) listener.stream.tell('monitors', some)
    if (this.#visitors !== undefined) listener.stream.tell('visitors', Object.fromEntries(this.#visitors))
  }

  /** Monitors whose status has not been told. */
  newsIn(found: Statuses): number[] {
    return [...found].filter(([id, word]) => this.#known.get(id) !== word).map(([id]) => id)
  }

  /** What was found is known from now on. */
  tellMonitors(found: Statuses, monitors: readonly LiveMonitor[]): void {
    this.#known = found
    for (const some of inParts(monitors)) this.#tellAll('monitors', some)
  }

  /** The first time all of them, then those that changed. */
  takeVisitors(found: Map<number, number>): void {
    const before = this.#visitors
    this.#visitors = found
    const changed: LiveVisitors = {}
    for (const [id, count] of found) if (before?.get(id) !== count) changed[id] = count
    for (const id of before?.keys() ?? []) if (!found.has(id)) changed[id] = 0
    if (before === undefined || Object.keys(changed).length > 0) this.#tellAll('visitors', changed)
  }

  #tellAll(event: string, data: unknown): void {
    for (const { stream } of this.listeners) stream.tell(event, data)
  }
}

function* inParts(monitors: readonly LiveMonitor[]): Generator<readonly LiveMonitor[]> {
  for (let from = 0; from < monitors.length; from += TOGETHER) yield monitors.slice(from, from + TOGETHER)
}

export function tellCheck({ stream, monitor }: Listener, row: StateRow | undefined): void {
  const checkedAt = row?.last_checked_at?.getTime()
  if (monitor === undefined || row === undefined || checkedAt === undefined) return
  // A round that read before this listener came knows less than they do.
  if (monitor.lastCheckedAt !== undefined && checkedAt <= monitor.lastCheckedAt) return
  monitor.lastCheckedAt = checkedAt
  stream.tell('check', liveMonitorOf(row))
}

/** `nowMs`: of a clock that nobody sets. What comes too soon is told later. */
export function tellTraffic({ stream, website }: Listener, counted: number | undefined, nowMs: number): void {
  if (website === undefined || counted === undefined || counted === website.counted) return
  if (nowMs - website.toldAt < TRAFFIC_MS) return
  website.counted = counted
  website.toldAt = nowMs
  const data: LiveTraffic = { website_id: website.id }
  stream.tell('traffic', data)
}
