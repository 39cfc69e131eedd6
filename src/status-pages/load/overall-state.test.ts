import { describe, expect, it } from 'vitest'
import type { OverallState, PublicMonitorState } from '../../shared/status-pages.ts'
import { computeOverallState } from './overall-state.ts'

describe('the state of a page', () => {
  it.each<[OverallState, PublicMonitorState[], string?]>([
    ['up', ['up', 'up']],
    ['up', ['up', 'paused', 'pending']],
    ['down', ['down']],
    ['down', ['down', 'down', 'paused', 'pending'], 'with an open post'],
    ['partly_down', ['down', 'up'], 'with an open post'],
    ['partly_down', ['down', 'maintenance']],
    ['incident', ['up', 'up'], 'with an open post'],
    ['incident', ['maintenance', 'up'], 'with an open post'],
    ['incident', ['paused'], 'with an open post'],
    ['maintenance', ['maintenance', 'up']],
    ['maintenance', ['maintenance', 'paused']],
    ['unknown', ['paused', 'pending']],
    ['unknown', []],
  ])('is %s if its monitors are %j %s', (expected, monitorStates, post) => {
    expect(computeOverallState(monitorStates, { hasOpenPost: post !== undefined })).toBe(expected)
  })
})
