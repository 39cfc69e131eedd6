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
  const measuredPhases = phases.filter((phase): phase is CheckPhase => phase.ms !== null)
  if (measuredPhases.length === 0) return []
  const downloadMs = (check.response_ms ?? 0) - measuredPhases.reduce((sum, { ms }) => sum + ms, 0)
  return downloadMs > 0
    ? [...measuredPhases, { name: 'Download', ms: downloadMs, colourVar: '--line-strong' }]
    : measuredPhases
}
