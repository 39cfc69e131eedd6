import { expect, it } from 'vitest'
import { asSentence } from './causes.ts'

it('makes a sentence of a detail', () => {
  expect(asSentence('answered 503, expected 200-399')).toBe('Answered 503, expected 200-399.')
  expect(asSentence('Slack answered 404.')).toBe('Slack answered 404.')
})
