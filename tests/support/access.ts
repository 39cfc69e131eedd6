/** What nobody may be let in looks like. */
import { expect } from 'vitest'
import type { Answer } from './client.ts'

export function expectMissingScope(answer: Answer, scope: string): void {
  expect(answer.status).toBe(403)
  expect(answer.body.code).toBe('missing_scope')
  expect(answer.body.detail).toContain(scope)
}

/** Somebody else's thing and none at all: not a letter tells them apart. */
export function expectSameAsNone(theirs: Answer, none: Answer): void {
  expect(theirs.status).toBe(404)
  const { request_id: _, ...body } = theirs.body
  expect(none.body).toMatchObject(body)
}
