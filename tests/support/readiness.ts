import { expect } from 'vitest'
import type { ClientResponse } from './client.ts'

/**
 * Expects a response from `/readyz` of a server whose checks count. A stall of the test process is allowed as the only reason
 * against that: a busy machine can cause one at any time, and the server then reports it for 20 seconds.
 */
export function expectReady({ status, body }: ClientResponse): void {
  expect(status).toBe(200)
  const { reasons = [] } = body as { reasons?: string[] }
  expect(reasons.filter((reason) => !/^The Belfry server was stalled for [\d.]+ s/.test(reason))).toEqual([])
  expect(body).toEqual(reasons.length === 0 ? { status: 'ok' } : { status: 'degraded', reasons })
}
