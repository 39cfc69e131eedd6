import { expect } from 'vitest'
import type { ClientResponse } from './client.ts'

/**
 * Expects `/readyz` to report a ready server that is not degraded. Only a stall of the process may make it report `degraded`:
 * a busy machine can cause a stall at any time, and the server reports it for 20 seconds.
 */
export function expectReady({ status, body }: ClientResponse): void {
  expect(status).toBe(200)
  const { reasons = [] } = body as { reasons?: string[] }
  expect(reasons.filter((reason) => !/^The Belfry server was stalled for [\d.]+ s/.test(reason))).toEqual([])
  expect(body).toEqual(reasons.length === 0 ? { status: 'ok' } : { status: 'degraded', reasons })
}
