import { expect } from 'vitest'
import type { ClientResponse } from './client.ts'

/**
 * Reasons in the response of `/readyz` that the tested server itself doesn't cause. A busy machine can stall the
 * process at any time, and the server reports that for 20 seconds. Most test servers have only the role web, so after
 * 15 seconds they report that no node has the other roles.
 */
const ignoredReasons = /^(The Belfry server was stalled for [\d.]+ s|No live node has the role (checker|worker): )/

/** Expects `/readyz` to report a ready server that is not degraded, except for `ignoredReasons`. */
export function expectReady({ status, body }: ClientResponse): void {
  expect(status).toBe(200)
  const { reasons = [] } = body as { reasons?: string[] }
  expect(reasons.filter((reason) => !ignoredReasons.test(reason))).toEqual([])
  expect(body).toEqual(reasons.length === 0 ? { status: 'ok' } : { status: 'degraded', reasons })
}
