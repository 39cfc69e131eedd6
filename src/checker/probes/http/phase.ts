/** How far a check has come, by the name of its time. */
import { type Failure, failure } from '../failure.ts'
import type { Timings } from '../probe.ts'

export type Phase = keyof Timings | 'body'

/** What is said when the time is up. `place`: the address that was dialled last. */
export function lateness(phase: Phase, host: string, place: string | null, timeoutMs: number): Failure {
  const within = `within ${timeoutMs / 1000} s`
  switch (phase) {
    case 'dnsMs':
      return failure('dns', `the name ${host} could not be looked up ${within}`)
    case 'connectMs':
      return failure('timeout', `could not connect to ${place} ${within}`)
    case 'tlsMs':
      return failure('timeout', `the TLS handshake with ${place} did not end ${within}`)
    case 'firstByteMs':
      return failure('timeout', `no answer ${within}`)
    case 'body':
      return failure('timeout', `the answer did not end ${within}`)
  }
}
