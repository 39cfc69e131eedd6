import type { CheckRecord } from '../../src/checker/schema.ts'

export interface CheckPhase {
  name: string
  ms: number
  colourVar: string
}

export type PhaseTimings = Pick<CheckRecord, 'response_ms' | 'dns_ms' | 'connect_ms' | 'tls_ms' | 'first_byte_ms'>

/** Of one check, in their order; without those that it did not need. */
export function listPhases(check: PhaseTimings): CheckPhase[] {
  const parts = [
    { name: 'Name lookup', ms: check.dns_ms, colourVar: '--chart-3' },
    { name: 'Connection', ms: check.connect_ms, colourVar: '--chart-2' },
    { name: 'Encryption', ms: check.tls_ms, colourVar: '--up-shape' },
    { name: 'Waiting for the answer', ms: check.first_byte_ms, colourVar: '--chart-1' },
  ]
  const known = parts.filter((part): part is CheckPhase => part.ms !== null)
  if (known.length === 0) return []
  const rest = (check.response_ms ?? 0) - known.reduce((sum, { ms }) => sum + ms, 0)
  return rest > 0 ? [...known, { name: 'Reading it', ms: rest, colourVar: '--line-strong' }] : known
}
