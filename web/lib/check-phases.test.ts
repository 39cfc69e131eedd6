import { describe, expect, it } from 'vitest'
import { listPhases } from './check-phases.ts'

describe('the phases of a check', () => {
  const check = { response_ms: 100, dns_ms: 4, connect_ms: 12, tls_ms: null, first_byte_ms: 50 }

  it('are the measured phases, plus the remaining time as download', () => {
    expect(listPhases(check).map(({ name, ms }) => [name, ms])).toEqual([
      ['DNS lookup', 4],
      ['Connection', 12],
      ['Waiting for response', 50],
      ['Download', 34],
    ])
  })

  it('are empty if none was measured, as for a ping', () => {
    expect(listPhases({ response_ms: 9, dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null })).toEqual(
      [],
    )
  })

  it('end with the last phase that was reached if there was no response', () => {
    expect(listPhases({ ...check, response_ms: null, first_byte_ms: null })).toHaveLength(2)
  })
})
