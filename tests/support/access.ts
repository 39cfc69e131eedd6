/** Expectations about denied access. */
import { expect } from 'vitest'
import type { ClientResponse } from './client.ts'

export function expectMissingScope(response: ClientResponse, scope: string): void {
  expect(response.status).toBe(403)
  expect(response.body.code).toBe('missing_scope')
  expect(response.body.detail).toContain(scope)
}

/** The responses for another user's resource and for a missing resource must be identical. */
export function expectNotFound(otherUsersResponse: ClientResponse, missingResponse: ClientResponse): void {
  expect(otherUsersResponse.status).toBe(404)
  const { request_id: _, ...body } = otherUsersResponse.body
  expect(missingResponse.body).toMatchObject(body)
}
