import { expect, it } from 'vitest'
import { isSamplePath } from './sample-paths.ts'

const samples = { domains: ['lantern-1.example'], monitorIds: [3], incidentIds: [5] }

it.each([
  ['/lantern-1.example', true],
  ['/lantern-1.example/settings', true],
  ['/lantern-1.example.com', false],
  ['/monitors/3', true],
  ['/monitors/3/edit', true],
  ['/monitors/33', false],
  ['/incidents/5', true],
  ['/incidents', false],
  ['/monitors/5', false],
  ['/', false],
])('the page %s is about the sample shop: %j', (path, expected) => {
  expect(isSamplePath(path, samples)).toBe(expected)
})
