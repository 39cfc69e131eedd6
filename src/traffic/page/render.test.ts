import { describe, expect, it } from 'vitest'
import { type Overview, panelNames, type StatisticsRow } from '../stats/schema.ts'
import { roundUp } from './chart.ts'
import { renderStatistics } from './render.ts'

const hostile = `"><img src=x onerror='alert(1)'>&\u202e`
const totals = { visitors: 3, pageviews: 9, visits: 4, events: 2, bounce_rate: 25, visit_duration: 93 }

function overviewOf(rows: StatisticsRow[], days = 2): Overview {
  const series = Array.from({ length: days }, (_, n) => ({
    value: new Date(Date.UTC(2026, 0, 4 + n)).toISOString().slice(0, 10),
    count: n + 1,
  }))
  return {
    website: { id: 1, domain: 'example.com', time_zone: 'Europe/Berlin' },
    from: '2026-01-04',
    to: '2026-01-05',
    totals,
    previous: { from: '2026-01-02', to: '2026-01-03', totals },
    change: { visitors: 50, pageviews: -10.5, visits: 0, events: null, bounce_rate: -20, visit_duration: 3 },
    visitors_now: 1,
    series: { unit: 'day', visitors: series, pageviews: series },
    panels: Object.fromEntries(panelNames.map((name) => [name, rows])) as Overview['panels'],
  }
}

function pageOf(overview: Overview, filters: string[] = []): string {
  const period = { name: undefined, from: overview.from, to: overview.to, isFallback: false }
  return renderStatistics({ overview, view: { period, filters }, today: '2026-01-05', snippet: hostile, note: hostile })
    .text
}

describe('the page', () => {
  it('escapes every value that a visitor could have made up', () => {
    const text = pageOf(overviewOf([{ value: hostile, count: 1 }]), [`page:${hostile}`])
    expect(text).not.toContain('<img')
    expect(text.match(/&lt;img/g)?.length).toBeGreaterThan(panelNames.length)
    // Nothing but what we wrote ever opens a tag or ends an attribute.
    expect(text.match(/<[a-z]+/g)?.filter((tag) => /^<(img|script|iframe|object)$/.test(tag))).toEqual([])
  })

  it('says how numbers have changed, and whether that is good', () => {
    const text = pageOf(overviewOf([{ value: '/', count: 1 }]))
    expect(text).toMatch(/change better"><span aria-hidden="true">▲<\/span> 50 %<span class="sr"> more than before/)
    expect(text).toMatch(/change worse"><span aria-hidden="true">▼<\/span> 10.5 %<span class="sr"> less than before/)
    expect(text).toMatch(/change better"><span aria-hidden="true">▼<\/span> 20 %/)
    expect(text).toContain('unchanged')
    expect(text).toContain('1 min 33 s')
    expect(text).toContain('Compared with 2 Jan 2026 – 3 Jan 2026.')
  })

  it('compares with nothing where nothing was counted', () => {
    const none = { visitors: 0, pageviews: 0, visits: 0, events: 0, bounce_rate: null, visit_duration: null }
    const previous = { from: '2026-01-02', to: '2026-01-03', totals: none }
    expect(pageOf({ ...overviewOf([{ value: '/', count: 1 }]), previous })).not.toContain('Compared with')
  })

  it('says once that rows are filters', () => {
    expect(
      pageOf(overviewOf([{ value: '/', count: 1 }])).match(/Choose a row to see only what belongs to it/g),
    ).toHaveLength(1)
    expect(pageOf(overviewOf([]))).not.toContain('Choose a row')
  })

  it('names countries and languages, and leaves what is no code', () => {
    const rows = ['DE', 'de', 'nowhere at all'].map((value) => ({ value, count: 1 }))
    const text = pageOf(overviewOf(rows))
    expect(text).toContain('<bdi>Germany</bdi>')
    expect(text).toContain('<bdi>German</bdi>')
    expect(text).toContain('<bdi>nowhere at all</bdi>')
  })

  it('makes every row a filter, one of a name at a time, and every filter one to remove', () => {
    const text = pageOf(overviewOf([{ value: '/a b?c=1&d', count: 1 }]), ['page:/x', 'country:DE'])
    const days = 'from=2026-01-04&amp;to=2026-01-05'
    expect(text).toContain(`href="?${days}&amp;filter=country%3ADE&amp;filter=page%3A%2Fa+b%3Fc%3D1%26d"`)
    expect(text).toContain(`href="?${days}&amp;filter=country%3ADE"><span>Page:</span> <bdi>/x</bdi>`)
    expect(text).toContain('<input type="hidden" name="filter" value="country:DE">')
  })

  it('has rows with stars and backslashes ask for just these', () => {
    const text = pageOf(overviewOf([{ value: '/a*b\\c', count: 1 }]))
    expect(text).toContain('filter=page%3A%2Fa%5C*b%5C%5Cc"')
  })

  it('draws months where days would be too thin', () => {
    expect(pageOf(overviewOf([], 93)).match(/class="slot"/g)).toHaveLength(93)
    expect(pageOf(overviewOf([], 94)).match(/class="slot"/g)).toHaveLength(4)
  })
})

describe('the top of a chart', () => {
  it.each([
    [0, 2],
    [1, 2],
    [3, 4],
    [10, 10],
    [11, 20],
    [63, 80],
    [101, 200],
    [999, 1000],
    [1_000_001, 2_000_000],
  ])('over %i is %i', (most, top) => expect(roundUp(most)).toBe(top))
})
