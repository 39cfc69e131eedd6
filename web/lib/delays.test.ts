import { expect, it } from 'vitest'
import { describeDelay } from './delays.ts'

it.each([
  [0, 'immediately'],
  [1, 'after 1 minute'],
  [45, 'after 45 minutes'],
  [60, 'after 1 hour'],
  [90, 'after 90 minutes'],
  [1440, 'after 24 hours'],
])('a delay of %i minutes is described as “%s”', (minutes, text) => {
  expect(describeDelay(minutes)).toBe(text)
})
