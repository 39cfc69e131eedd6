/** The phases of a check over a connection. */
import { createFailure } from './failure.ts'
import { type CheckFailure, noTimings, type PhaseTimings } from './probe.ts'

/** A phase is named after the timing that it produces. Reading the body is not timed. */
export type Phase = keyof PhaseTimings | 'body'

export class PhaseTimer {
  readonly timings: PhaseTimings = { ...noTimings }
  #current: Phase = 'dnsMs'
  #startedAt = 0

  get current(): Phase {
    return this.#current
  }

  start(phase: Phase): void {
    this.#current = phase
    this.#startedAt = performance.now()
  }

  complete(): void {
    if (this.#current !== 'body') this.timings[this.#current] = Math.round(performance.now() - this.#startedAt)
  }
}

/** Returns the failure of a check whose timeout expires during `phase`. */
export function createTimeoutFailure(
  phase: Phase,
  host: string,
  endpoint: string | null,
  timeoutMs: number,
): CheckFailure {
  const limit = `${timeoutMs / 1000} s`
  switch (phase) {
    case 'dnsMs':
      return createFailure('dns', `DNS lookup of ${host} took longer than ${limit}`)
    case 'connectMs':
      return createFailure('timeout', `Could not connect to ${endpoint} within ${limit}`)
    case 'tlsMs':
      return createFailure('timeout', `TLS handshake with ${endpoint} took longer than ${limit}`)
    case 'firstByteMs':
      return createFailure('timeout', `Response took longer than ${limit}`)
    case 'body':
      return createFailure('timeout', `Response body took longer than ${limit}`)
  }
}
