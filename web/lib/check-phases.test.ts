import { describe, expect, it } from 'vitest'
import { listPhases } from './check-phases.ts'

describe('the phases of a check', () => {
  const check = { response_ms: 100, dns_ms: 4, connect_ms: 12, tls_ms: null, first_byte_ms: 50 }

  it('are what it needed, and what remains of the whole', () => {
    expect(listPhases(check).map(({ name, ms }) => [name, ms])).toEqual([
      ['Name lookup', 4],
      ['Connection', 12],
      ['Waiting for the answer', 50],
      ['Reading it', 34],
    ])
  })

  it('are nothing where nothing was measured, as of a ping', () => {
    expect(listPhases({ response_ms: 9, dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null })).toEqual([])
  })

  it('end with the last that was reached where no answer came', () => {
    expect(listPhases({ ...check, response_ms: null, first_byte_ms: null })).toHaveLength(2)
  })
})
