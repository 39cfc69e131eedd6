import { expect, it } from 'vitest'
import { findClosest } from './closest.ts'

it.each([
  ['inof', 'info'],
  ['INFO', 'info'],
  ['warm', 'warn'],
  ['eror', 'error'],
  ['debugg', 'debug'],
  ['loud', undefined],
  ['', undefined],
])('of the log levels, the closest to %j is %j', (text, closestName) => {
  expect(findClosest(text, ['debug', 'info', 'warn', 'error'])).toBe(closestName)
})
