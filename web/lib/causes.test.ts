import { expect, it } from 'vitest'
import { toSentence } from './causes.ts'

it('toSentence turns the detail of a check into a sentence', () => {
  expect(toSentence('connection reset')).toBe('Connection reset.')
  expect(toSentence('Status 503, expected 200–399.')).toBe('Status 503, expected 200–399.')
})
