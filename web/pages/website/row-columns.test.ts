import { describe, expect, it } from 'vitest'
import type { StatisticsListRow } from '../../../src/traffic/stats/schema.ts'
import { explainMissingDetails, listRowColumns, sortRows, toggleSorting } from './row-columns.ts'

const details = { visits: 3, pageviews: 4, bounce_rate: 50, visit_duration: 20 }
const rows: StatisticsListRow[] = [
  { value: 'DE', count: 5, visitors: 5, ...details, bounce_rate: null },
  { value: 'FR', count: 3, visitors: 3, ...details, bounce_rate: 40 },
  { value: 'AT', count: 1, visitors: 1, ...details, bounce_rate: 60 },
]
const sortValues = (key: Parameters<typeof toggleSorting>[1], direction: 'asc' | 'desc') =>
  sortRows('country', rows, { key, direction }).map(({ value }) => value)

describe('the rows of a panel', () => {
  it('have a column for each figure, of which one is the count', () => {
    const listKeys = (...[name]: Parameters<typeof listRowColumns>) => listRowColumns(name).map(({ key }) => key)
    expect(listKeys('page')).toEqual(['visitors', 'count', 'bounce_rate', 'visit_duration'])
    expect(listKeys('source')).toEqual(['count', 'pageviews', 'bounce_rate', 'visit_duration'])
    expect(listKeys('event')).toEqual(['count', 'visitors', 'pageviews', 'bounce_rate', 'visit_duration'])
  })

  it('are sorted by any column in both directions, with unknown figures last', () => {
    expect(sortValues('count', 'desc')).toEqual(['DE', 'FR', 'AT'])
    expect(sortValues('count', 'asc')).toEqual(['AT', 'FR', 'DE'])
    expect(sortValues('bounce_rate', 'desc')).toEqual(['AT', 'FR', 'DE'])
    expect(sortValues('bounce_rate', 'asc')).toEqual(['FR', 'AT', 'DE'])
    // Equal figures are in the order of the counts.
    expect(sortValues('visits', 'asc')).toEqual(['DE', 'FR', 'AT'])
    expect(sortValues('value', 'desc')).toEqual(sortValues('value', 'asc').reverse())
  })

  it('are sorted with the largest figure first, but names from A to Z', () => {
    const byCount = { key: 'count', direction: 'desc' } as const
    expect(toggleSorting(byCount, 'count')).toEqual({ key: 'count', direction: 'asc' })
    expect(toggleSorting(byCount, 'bounce_rate')).toEqual({ key: 'bounce_rate', direction: 'desc' })
    expect(toggleSorting(byCount, 'value')).toEqual({ key: 'value', direction: 'asc' })
  })

  it('explain figures that are not known', () => {
    expect(explainMissingDetails('country', rows)).toBeUndefined()
    expect(explainMissingDetails('country', [{ value: 'DE', count: 5, visitors: 5, visits: null }])).toMatch(/dash/)
    expect(explainMissingDetails('event', rows)).toMatch(/bounce rate/)
  })
})
