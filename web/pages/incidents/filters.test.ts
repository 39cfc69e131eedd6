import { describe, expect, it } from 'vitest'
import {
  describeNoIncidents,
  formatIncidentFilters,
  leavesOutSample,
  noIncidentFilters,
  parseIncidentFilters,
  toIncidentQuery,
} from './filters.ts'

const TODAY = '2026-01-31'
const parse = (query: string) => parseIncidentFilters(new URLSearchParams(query), TODAY)

describe('the filters of the list of incidents', () => {
  it.each([
    '',
    'state=open',
    'state=acknowledged&cause=http_status&monitor=3&website=12&tag=eu&tag=shop&period=90d',
    'period=all',
    'from=2026-01-05&to=2026-01-07',
  ])('are the same after they were in the URL: %j', (query) => {
    expect(formatIncidentFilters(parse(query)).toString()).toBe(query)
  })

  it('ignore values that the page does not know', () => {
    expect(parse('state=closed&cause=magic&monitor=x&website=-1&period=later&from=soon')).toEqual(noIncidentFilters)
    expect(parse('tag=EU&tag=eu').tags).toEqual(['EU'])
    expect(parse('from=2026-02-05&to=2026-02-07').period).toBe('30d')
  })

  it('are sent with times instead of days, in the time zone of the browser', () => {
    const at = (day: number) => new Date(2026, 0, day).toISOString()
    expect(toIncidentQuery(parse('state=resolved&monitor=3&tag=eu'), TODAY)).toEqual({
      state: 'resolved',
      cause: undefined,
      monitor_id: 3,
      website_id: undefined,
      tag: ['eu'],
      is_sample: undefined,
      from: at(2),
      to: undefined,
    })
    expect(toIncidentQuery(parse('from=2026-01-05&to=2026-01-07'), TODAY)).toMatchObject({ from: at(5), to: at(8) })
    expect(toIncidentQuery(parse('period=all'), TODAY)).toMatchObject({ from: undefined, to: undefined })
  })
})

describe('the sample shop', () => {
  const records = {
    websites: [1, 2].map((id) => ({ id, is_sample: id === 2 })),
    monitors: [7, 8].map((id) => ({ id, is_sample: id === 8 })),
  }

  it.each([
    ['', true],
    ['monitor=7', true],
    ['website=1', true],
    ['monitor=8', false],
    ['website=2', false],
  ])('is left out of the numbers with the filters %j: %j', (query, expected) => {
    expect(leavesOutSample(parse(query), records)).toBe(expected)
    expect(leavesOutSample(parse(query), { websites: [], monitors: [] })).toBe(false)
  })

  it('is listed only among all incidents if the numbers leave it out', () => {
    expect(toIncidentQuery(parse('state=resolved'), TODAY, true)).toMatchObject({ is_sample: false })
    expect(toIncidentQuery(parse(''), TODAY, true)).toMatchObject({ is_sample: undefined })
  })
})

it.each([
  ['', 'No incidents in the last 30 days'],
  ['period=all', 'No incidents'],
  ['state=resolved&period=yesterday', 'No resolved incidents yesterday'],
  ['state=open', 'No ongoing incidents'],
  ['from=2026-01-05&to=2026-01-05', expect.stringMatching(/^No incidents on .*5/)],
  ['from=2026-01-05&to=2026-01-07', expect.stringMatching(/^No incidents in the range .*5.*7/)],
])('an empty list with the filters %j says so', (query, text) => {
  expect(describeNoIncidents(parse(query))).toEqual(text)
})
