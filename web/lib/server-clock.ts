/**
 * The server's time. It ticks once a second for the whole page, so that durations that grow, such as that of an ongoing
 * incident, show the same number everywhere. The browser's clock alone may be wrong.
 */
import { useEffect, useState } from 'preact/hooks'
import { SECOND_MS } from '../../src/shared/time.ts'

/**
 * Network latency makes the server's time look earlier, by at most this much. A larger step back means that a clock was
 * changed.
 */
const MAX_LATENCY_MS = 3_000

export class ServerClock {
  #offsetMs: number | undefined
  #now: number
  #timer: ReturnType<typeof setInterval> | undefined
  readonly #listeners = new Set<(now: number) => void>()
  readonly #readBrowserTime: () => number

  constructor(readBrowserTime = () => Date.now()) {
    this.#readBrowserTime = readBrowserTime
    this.#now = readBrowserTime()
  }

  /** Unix milliseconds at the last tick. */
  get now(): number {
    return this.#now
  }

  /** Call with the server's time of a response that has just arrived. */
  synchronize(serverTime: string): void {
    const offsetMs = Date.parse(serverTime) - this.#readBrowserTime()
    const difference = offsetMs - (this.#offsetMs ?? Number.NEGATIVE_INFINITY)
    // The response with the least latency is the most accurate one.
    if (difference < 0 && difference > -MAX_LATENCY_MS) return
    this.#offsetMs = offsetMs
    this.tick()
  }

  tick(): void {
    this.#now = this.#readBrowserTime() + (this.#offsetMs ?? 0)
    for (const listener of [...this.#listeners]) listener(this.#now)
  }

  /** Calls the listener at each tick. Returns a function that removes it. */
  subscribe(listener: (now: number) => void): () => void {
    this.#listeners.add(listener)
    this.#timer ??= setInterval(() => this.tick(), SECOND_MS)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }
}

export const serverClock = new ServerClock()

/** The server's time in Unix milliseconds. Re-renders every second while `isTicking`. */
export function useServerNow(isTicking: boolean): number {
  const [, setNow] = useState(serverClock.now)
  useEffect(() => {
    if (!isTicking) return
    const unsubscribe = serverClock.subscribe(setNow)
    // The clock doesn't tick without subscribers, so its last tick may be long ago.
    serverClock.tick()
    return unsubscribe
  }, [isTicking])
  return serverClock.now
}

/** Whole seconds from a time until now, for example the downtime since `down_since`. */
export const countSecondsSince = (at: string, now: number) =>
  Math.max(0, Math.floor((now - Date.parse(at)) / SECOND_MS))
