import { describe, expect, it } from 'vitest'
import { createFilter } from './filters.ts'
import { isMetricName, listFigures } from './metrics.ts'

const createTotals = (events: number) => ({ events }) as Parameters<typeof listFigures>[1]

describe('the figures above the chart', () => {
  it('include events only if the website has events', () => {
    expect(listFigures([], createTotals(0))).toEqual([
      'visitors',
      'visits',
      'pageviews',
      'views_per_visit',
      'bounce_rate',
      'visit_duration',
    ])
    expect(listFigures([], createTotals(3)).at(-1)).toBe('events')
  })

  it('have no bounce rate with a filter by event, because a visit with an event is never a bounce', () => {
    const names = listFigures([createFilter('event', 'signup')], createTotals(0))
    expect(names).not.toContain('bounce_rate')
    expect(names).toContain('events')
  })

  it('can all be drawn', () => {
    expect(listFigures([], createTotals(1)).every(isMetricName)).toBe(true)
    expect(isMetricName('toString')).toBe(false)
  })
})
