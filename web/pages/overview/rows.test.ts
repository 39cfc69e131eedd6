import { describe, expect, it } from 'vitest'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'
import { chooseRows, type Filter, groupRows } from './rows.ts'

let last = 0

function website(domain: string, more: Partial<OverviewWebsite> = {}): OverviewWebsite {
  last += 1
  return {
    id: last,
    domain,
    favorite: false,
    privacy: 0,
    time_zone: 'UTC',
    has_traffic: true,
    visitors_now: 0,
    visitors_today: 0,
    visitors: Array(30).fill(0),
    ...more,
  }
}

function monitor(name: string, url: string, more: Partial<OverviewMonitor> = {}): OverviewMonitor {
  last += 1
  return {
    id: last,
    friendly_name: name,
    url,
    type: 'http',
    status: 'up',
    status_changed_at: '2026-01-05T10:00:00.000Z',
    interval: 60,
    last_checked_at: null,
    last_response_ms: null,
    last_error: null,
    website_id: null,
    uptime_percent: null,
    watched: [],
    down: [],
    ...more,
  }
}

/** A line for each row; what is joined to a website stands behind it. */
function show(
  websites: OverviewWebsite[],
  monitors: OverviewMonitor[],
  { query = '', filter = 'all' }: { query?: string; filter?: Filter } = {},
): string[] {
  return chooseRows(groupRows({ websites, monitors }), query, filter).map((row) => {
    if (row.kind === 'website') return [row.website.domain, row.monitor?.friendly_name].filter(Boolean).join(' + ')
    return `${row.isIndented ? '  ' : ''}${row.monitor.friendly_name}`
  })
}

describe('the rows of the overview', () => {
  it('join a website and the monitor of its host, with its other monitors below', () => {
    const site = website('example.com')
    const here = { website_id: site.id }
    const monitors = [
      monitor('Search', 'https://example.com/search?q=a', here),
      monitor('API 10', 'https://api.example.com/', here),
      monitor('Front', 'https://www.example.com/', here),
      monitor('api 9', 'https://api.example.com/v9', here),
      monitor('Ping', 'example.com', { ...here, type: 'ping' }),
      monitor('Elsewhere', 'https://example.org/'),
    ]
    expect(show([site], monitors)).toEqual([
      'Elsewhere',
      'example.com + Front',
      '  api 9',
      '  API 10',
      '  Ping',
      '  Search',
    ])
  })

  it('do not take a monitor of another host for one of the website', () => {
    const site = website('example.com')
    expect(show([site], [monitor('Shop', 'https://shop.example.com', { website_id: site.id })])).toEqual([
      'example.com',
      '  Shop',
    ])
  })

  it('know the host of a website in whatever letters it is written', () => {
    const site = website('xn--bcher-kva.example')
    const own = monitor('Books', 'https://Bücher.example:8443/', { website_id: site.id })
    expect(show([site], [own])).toEqual(['xn--bcher-kva.example + Books'])
  })

  it('begin with groups in which something is down, then favourites, then by name', () => {
    const [b, c, d] = [website('b.example'), website('c.example', { favorite: true }), website('d.example')]
    const monitors = [
      monitor('api of d', 'https://api.d.example', { website_id: d.id, status: 'down' }),
      monitor('a lone one', 'https://a.example'),
      monitor('zoo', 'https://z.example', { status: 'down' }),
    ]
    expect(show([b, c, d], monitors)).toEqual([
      'd.example',
      '  api of d',
      'zoo',
      'c.example',
      'a lone one',
      'b.example',
    ])
  })

  it('begin with the newest outage among those that go on, after those of favourites', () => {
    const [b, c] = [website('b.example'), website('c.example', { favorite: true })]
    const down = (at: string, website_id: number | null = null) =>
      ({ status: 'down', status_changed_at: `2026-01-05T${at}:00.000Z`, website_id }) as const
    const monitors = [
      monitor('alpha', 'https://a.example', down('08:00')),
      monitor('of b', 'https://b.example', { website_id: b.id }),
      monitor('also of b', 'https://api.b.example', down('09:00', b.id)),
      monitor('of c', 'https://c.example', down('07:00', c.id)),
      monitor('omega', 'https://o.example', down('09:59')),
      monitor('up since', 'https://u.example', { status_changed_at: '2026-01-05T09:59:59.000Z' }),
    ]
    expect(show([b, c], monitors)).toEqual([
      'c.example + of c',
      'omega',
      'b.example + of b',
      '  also of b',
      'alpha',
      'up since',
    ])
    expect(show([b, c], monitors, { filter: 'monitors' })).toEqual([
      'omega',
      'also of b',
      'alpha',
      'of c',
      'of b',
      'up since',
    ])
  })

  it('are found by domain, name or address, each word somewhere', () => {
    const site = website('example.com')
    const monitors = [
      monitor('Café', 'https://example.com/', { website_id: site.id }),
      monitor('Orders', 'https://api.example.com/ORDERS', { website_id: site.id }),
      monitor('Mail', 'mail.example.org', { type: 'ping' }),
    ]
    expect(show([site], monitors, { query: ' CAFÉ example ' })).toEqual(['example.com + Café'])
    expect(show([site], monitors, { query: 'orders' })).toEqual(['Orders'])
    expect(show([site], monitors, { query: 'example.com' })).toEqual(['example.com + Café', '  Orders'])
    expect(show([site], monitors, { query: '.org' })).toEqual(['Mail'])
    expect(show([site], monitors, { query: 'nothing' })).toEqual([])
  })

  it('can be only what is down, the websites, or every monitor by itself', () => {
    const site = website('example.com')
    const monitors = [
      monitor('Front', 'https://example.com/', { website_id: site.id }),
      monitor('Orders', 'https://api.example.com/', { website_id: site.id, status: 'down' }),
      monitor('Apples', 'https://apples.example.org/'),
    ]
    expect(show([site], monitors, { filter: 'down' })).toEqual(['Orders'])
    expect(show([site], monitors, { filter: 'websites' })).toEqual(['example.com + Front'])
    expect(show([site], monitors, { filter: 'monitors' })).toEqual(['Orders', 'Apples', 'Front'])
    expect(show([site], monitors, { filter: 'monitors', query: 'fr' })).toEqual(['Front'])
  })

  it('are there even if the website of a monitor is not', () => {
    expect(show([], [monitor('Front', 'https://example.com/', { website_id: 99_999 })])).toEqual(['Front'])
  })
})
