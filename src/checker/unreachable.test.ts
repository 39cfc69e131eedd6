import { describe, expect, it } from 'vitest'
import { isUnreachable } from './own-network.ts'
import { emptyResult, type ProbeResult } from './probes/probe.ts'

const timeoutResult: ProbeResult = {
  ...emptyResult,
  failure: { cause: 'timeout', detail: 'Response took longer than 10 s' },
  responseMs: 5,
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
