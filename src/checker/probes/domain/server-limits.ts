/**
 * Limits the requests to each RDAP server, because registries block clients that ask too often: only a few at the same time, a
 * pause between two, and none while the server asks to wait. Users take turns.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { addMs, type Clock } from '../../../lib/clock.ts'
import { ProcessQueue } from '../ping/process-queue.ts'

/** The queue always keeps one slot free, so three slots mean two requests at the same time. */
const QUEUE_SLOTS = 3
const MAX_SERVERS = 1_000

interface ServerState {
  queue: ProcessQueue
  /** From `performance.now`. */
  nextRequestAt: number
  blockedUntil: Date | undefined
}

export class ServerLimits {
  readonly #servers = new BoundedMap<string, ServerState>(MAX_SERVERS)
  readonly #clock: Clock
  readonly #requestGapMs: number

  constructor(clock: Clock, requestGapMs: number) {
    this.#clock = clock
    this.#requestGapMs = requestGapMs
  }

  /** Calls `request` when it is the turn of the user. */
  run<T>(host: string, userId: number, request: () => Promise<T>): Promise<T> {
    const server = this.#getServer(host)
    return server.queue.run(userId, async () => {
      const now = performance.now()
      const startAt = Math.max(now, server.nextRequestAt)
      server.nextRequestAt = startAt + this.#requestGapMs
      if (startAt > now) await wait(startAt - now)
      return request()
    })
  }

  block(host: string, durationMs: number): void {
    this.#getServer(host).blockedUntil = addMs(this.#clock.now(), durationMs)
  }

  /** Returns how long to send no requests to this server. */
  getBlockedMs(host: string): number {
    const blockedUntil = this.#servers.get(host)?.blockedUntil
    return blockedUntil === undefined ? 0 : Math.max(0, blockedUntil.getTime() - this.#clock.now().getTime())
  }

  #getServer(host: string): ServerState {
    const known = this.#servers.get(host)
    if (known !== undefined) return known
    const server = { queue: new ProcessQueue(QUEUE_SLOTS), nextRequestAt: 0, blockedUntil: undefined }
    this.#servers.set(host, server)
    return server
  }
}
