import { expect, it } from 'vitest'
import { findWatchingMonitor, listWatchTargets } from './domain-watch.ts'
import type { OverviewMonitor } from './queries.ts'

it('the targets to watch for a subdomain are its registered domain and its own certificate', () => {
  expect(listWatchTargets('shop.example.com', 'example.com')).toEqual([
    { type: 'domain', url: 'example.com' },
    { type: 'tls', url: 'shop.example.com' },
  ])
  expect(listWatchTargets('localhost', null)).toEqual([{ type: 'tls', url: 'localhost' }])
})

it('findWatchingMonitor finds the monitor that already watches a target', () => {
  const monitors = [
    { id: 1, type: 'http', url: 'example.com' },
    { id: 2, type: 'tls', url: 'www.example.com' },
    { id: 3, type: 'tls', url: 'example.com:8443' },
  ] as OverviewMonitor[]
  expect(findWatchingMonitor(monitors, { type: 'tls', url: 'example.com' })?.id).toBe(2)
  expect(findWatchingMonitor(monitors, { type: 'domain', url: 'example.com' })).toBeUndefined()
})
