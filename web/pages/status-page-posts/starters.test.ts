import { describe, expect, it } from 'vitest'
import { postStates } from '../../../src/shared/status-pages.ts'
import { createIncidentTitle, createStarterBody, joinLabels } from './starters.ts'

describe('the texts to begin a post with', () => {
  it.each([
    [[], 'our services'],
    [['Shop'], 'Shop'],
    [['Shop', 'Blog'], 'Shop and Blog'],
    [['Shop', 'Blog', 'API'], 'Shop, Blog and API'],
    [['a', 'b', 'c', 'd'], '4 of our services'],
  ])('name the monitors %j as “%s”', (labels, text) => {
    expect(joinLabels(labels)).toBe(text)
  })

  it('differ by state', () => {
    expect(new Set(postStates.map((state) => createStarterBody(state, ['Shop']))).size).toBe(postStates.length)
    expect(createStarterBody('investigating', ['Shop'])).toContain('a problem with Shop.')
  })

  it('say whether the outage is over', () => {
    expect([createIncidentTitle('Shop', false), createIncidentTitle('Shop', true)]).toEqual([
      'Shop is unavailable',
      'Shop was unavailable',
    ])
  })
})
