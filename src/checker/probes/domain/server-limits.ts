/**
 * Limits the requests to each RDAP server, because registries block clients that ask too often: two at the same time, with a gap
 * between their starts, and none during a pause after a problem. Users take turns.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { addMs, type Clock } from '../../../lib/clock.ts'
import { FairWorkQueue } from '../fair-work-queue.ts'

/** The queue always keeps one slot free, so three slots mean two requests at the same time. */
const QUEUE_SLOTS = 3
const MAX_SERVERS = 1_000

interface ServerState {
  queue: FairWorkQueue
  /** When the next request can start, from `performance.now`. */
  nextStartAt: number
  /** Resolves when the previous request has started. */
  lastStart: Promise<void>
  pause: { until: Date; reason: string } | undefined
}

export class ServerLimits {
  readonly #servers = new BoundedMap<string, ServerState>(MAX_SERVERS)
  readonly #clock: Clock
  readonly #requestGapMs: number

  constructor(clock: Clock, requestGapMs: number) {
    this.#clock = clock
    this.#requestGapMs = requestGapMs
  }

  /** Calls `request` when it is the user's turn. During a pause it skips the gap, so that `request` reports the pause immediately. */
  run<T>(host: string, teamId: number, request: () => Promise<T>): Promise<T> {
    const server = this.#getServer(host)
    return server.queue.run(teamId, async () => {
      if (this.findPause(host) === undefined) {
        server.lastStart = server.lastStart.then(() => this.#waitForGap(server))
        await server.lastStart
      }
      return request()
    })
  }

  pause(host: string, durationMs: number, reason: string): void {
    this.#getServer(host).pause = { until: addMs(this.#clock.now(), durationMs), reason }
  }

  /** Returns how long to send no more requests to this server, and why. */
  findPause(host: string): { remainingMs: number; reason: string } | undefined {
    const pause = this.#servers.get(host)?.pause
    if (pause === undefined) return undefined
    const remainingMs = pause.until.getTime() - this.#clock.now().getTime()
    return remainingMs > 0 ? { remainingMs, reason: pause.reason } : undefined
  }

  async #waitForGap(server: ServerState): Promise<void> {
    // Timers can fire a millisecond early.
    for (;;) {
      const remainingMs = server.nextStartAt - performance.now()
      if (remainingMs <= 0) break
      await delay(Math.ceil(remainingMs))
    }
    server.nextStartAt = performance.now() + this.#requestGapMs
  }

  #getServer(host: string): ServerState {
    const existingServer = this.#servers.get(host)
    if (existingServer !== undefined) return existingServer
    const queue = new FairWorkQueue(QUEUE_SLOTS)
    const server = { queue, nextStartAt: 0, lastStart: Promise.resolve(), pause: undefined }
    this.#servers.set(host, server)
    return server
  }
}
