import { describe, expect, it } from 'vitest'
import { isUnreachable } from './own-network.ts'
import { noTimings, type ProbeResult } from './probes/probe.ts'

const timeoutResult: ProbeResult = {
  failure: { cause: 'timeout', detail: 'Response took longer than 10 s' },
  note: null,
  responseMs: 5,
  timings: noTimings,
  httpStatus: null,
  tlsExpiresAt: null,
  packetLoss: null,
  address: null,
  responded: false,
}

describe('a failure', () => {
  it.each([
    ['dns', true],
    ['connect', true],
    ['timeout', true],
    ['ping', true],
    ['tls', false],
    ['http_status', false],
    ['keyword', false],
    ['redirect', false],
    ['blocked', false],
    ['tcp', false],
    ['certificate', false],
  ] as const)('with the cause %s counts as unreachable: %s', (cause, expected) => {
    expect(isUnreachable({ ...timeoutResult, failure: { cause, detail: '' } })).toBe(expected)
  })

  it('does not count as unreachable if the response had already begun', () => {
    expect(isUnreachable({ ...timeoutResult, responded: true })).toBe(false)
  })
})
