/** Expectations about denied access. */
import { expect } from 'vitest'
import type { ClientResponse } from './client.ts'

export function expectMissingScope(response: ClientResponse, scope: string): void {
  expect(response.status).toBe(403)
  expect(response.body.code).toBe('missing_scope')
  expect(response.body.detail).toContain(scope)
}

/** The responses for another user's thing and for a missing thing must be identical. */
export function expectNotFound(foreign: ClientResponse, missing: ClientResponse): void {
  expect(foreign.status).toBe(404)
  const { request_id: _, ...body } = foreign.body
  expect(missing.body).toMatchObject(body)
}
