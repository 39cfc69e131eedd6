import { describe, expect, it } from 'vitest'
import { computeOverallState } from './page-states.ts'
import type { OverallState, PublicMonitorState } from './status-pages.ts'

describe('the state of a page', () => {
  it.each<[OverallState, PublicMonitorState[], boolean]>([
    ['up', ['up', 'up'], false],
    ['up', ['up', 'paused', 'pending'], false],
    ['down', ['down'], false],
    ['down', ['down', 'down', 'paused', 'pending'], true],
    ['partly_down', ['down', 'up'], true],
    ['partly_down', ['down', 'maintenance'], false],
    ['incident', ['up', 'up'], true],
    ['incident', ['maintenance', 'up'], true],
    ['incident', ['paused'], true],
    ['maintenance', ['maintenance', 'up'], false],
    ['maintenance', ['maintenance', 'paused'], false],
    ['unknown', ['paused', 'pending'], false],
    ['unknown', [], false],
  ])('is %s if its monitors are %j and it has an open post: %s', (expected, monitorStates, hasOpenPost) => {
    expect(computeOverallState(monitorStates, { hasOpenPost })).toBe(expected)
  })
})
