import type { CheckRecord } from '../../src/checker/schema.ts'

export interface CheckPhase {
  name: string
  ms: number
  colourVar: string
}

export type CheckPhaseTimings = Pick<CheckRecord, 'response_ms' | 'dns_ms' | 'connect_ms' | 'tls_ms' | 'first_byte_ms'>

/** The phases of a check in order, without those that didn't happen. */
export function listPhases(check: CheckPhaseTimings): CheckPhase[] {
  const phases = [
    { name: 'DNS lookup', ms: check.dns_ms, colourVar: '--chart-3' },
    { name: 'Connection', ms: check.connect_ms, colourVar: '--chart-2' },
    { name: 'TLS handshake', ms: check.tls_ms, colourVar: '--up-shape' },
    { name: 'Waiting for response', ms: check.first_byte_ms, colourVar: '--chart-1' },
  ]
  const measured = phases.filter((phase): phase is CheckPhase => phase.ms !== null)
  if (measured.length === 0) return []
  const rest = (check.response_ms ?? 0) - measured.reduce((sum, { ms }) => sum + ms, 0)
  return rest > 0 ? [...measured, { name: 'Download', ms: rest, colourVar: '--line-strong' }] : measured
}
