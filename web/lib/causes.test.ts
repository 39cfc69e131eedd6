import { expect, it } from 'vitest'
import { toSentence } from './causes.ts'

it('turns the details of a check into a sentence', () => {
  expect(toSentence('answered 503, expected 200-399')).toBe('Answered 503, expected 200-399.')
  expect(toSentence('Slack answered 404.')).toBe('Slack answered 404.')
})
