import { describe, expect, it } from 'vitest'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'
import { filterRows, groupRows, type RowFilter } from './rows.ts'

let lastId = 0

function createWebsite(domain: string, overrides: Partial<OverviewWebsite> = {}): OverviewWebsite {
  lastId += 1
  return {
    id: lastId,
    domain,
    favorite: false,
    privacy: 0,
    time_zone: 'UTC',
    is_sample: false,
    tags: [],
    has_traffic: true,
    visitors_now: 0,
    visitors_today: 0,
    visitors: Array(30).fill(0),
    ...overrides,
  }
}

function createMonitor(name: string, url: string, overrides: Partial<OverviewMonitor> = {}): OverviewMonitor {
  lastId += 1
  return {
    id: lastId,
    friendly_name: name,
    url,
    type: 'http',
    status: 'up',
    status_changed_at: '2026-01-05T10:00:00.000Z',
    down_since: null,
    interval: 60,
    last_checked_at: null,
    last_response_ms: null,
    last_error: null,
    tags: [],
    maintenance_until: null,
    incident_id: null,
    acknowledged_at: null,
    website_id: null,
    is_sample: false,
    uptime_percent: null,
    monitored_since: null,
    monitored_seconds: 0,
    days: '',
    ...overrides,
  }
}

/** Returns one string per row: `domain + monitor` for a website with its main monitor, two leading spaces for an indented row. */
function renderRows(
  websites: OverviewWebsite[],
  monitors: OverviewMonitor[],
  options: { query?: string; filter?: RowFilter; collapsed?: number[]; tags?: string[] } = {},
): string[] {
  const { query = '', filter = 'all', collapsed = [], tags = [] } = options
  return filterRows(groupRows({ websites, monitors }), query, filter, {
    collapsedIds: new Set(collapsed),
    tags,
  }).map((row) => {
    if (row.kind === 'website') return [row.website.domain, row.monitor?.friendly_name].filter(Boolean).join(' + ')
    return `${row.isIndented ? '  ' : ''}${row.monitor.friendly_name}`
  })
}

describe('the rows of the overview', () => {
  it('join a website with the monitor of its host and list its other monitors below', () => {
    const site = createWebsite('example.com')
    const siteFields = { website_id: site.id }
    const monitors = [
      createMonitor('Search', 'https://example.com/search?q=a', siteFields),
      createMonitor('API 10', 'https://api.example.com/', siteFields),
      createMonitor('Front', 'https://www.example.com/', siteFields),
      createMonitor('api 9', 'https://api.example.com/v9', siteFields),
      createMonitor('Ping', 'example.com', { ...siteFields, type: 'ping' }),
      createMonitor('Elsewhere', 'https://example.org/'),
    ]
    expect(renderRows([site], monitors)).toEqual([
      'Elsewhere',
      'example.com + Front',
      '  api 9',
      '  API 10',
      '  Ping',
      '  Search',
    ])
  })

  it('list a monitor of a subdomain below the website instead of joining the two', () => {
    const site = createWebsite('example.com')
    expect(renderRows([site], [createMonitor('Shop', 'https://shop.example.com', { website_id: site.id })])).toEqual([
      'example.com',
      '  Shop',
    ])
  })

  it('never join a website with the monitor of its certificate, domain or DNS records', () => {
    const site = createWebsite('example.com')
    const monitors = (['tls', 'domain', 'dns'] as const).map((type) =>
      createMonitor(type, 'example.com', { website_id: site.id, type }),
    )
    expect(renderRows([site], monitors)).toEqual(['example.com', '  dns', '  domain', '  tls'])
  })

  it('match international domain names with their punycode form', () => {
    const site = createWebsite('xn--bcher-kva.example')
    const booksMonitor = createMonitor('Books', 'https://Bücher.example:8443/', { website_id: site.id })
    expect(renderRows([site], [booksMonitor])).toEqual(['xn--bcher-kva.example + Books'])
  })

  it('start with groups that have a monitor down, then favorites, then the rest by name', () => {
    const [b, c, d] = [
      createWebsite('b.example'),
      createWebsite('c.example', { favorite: true }),
      createWebsite('d.example'),
    ]
    const monitors = [
      createMonitor('api of d', 'https://api.d.example', { website_id: d.id, status: 'down' }),
      createMonitor('a standalone', 'https://a.example'),
      createMonitor('zoo', 'https://z.example', { status: 'down' }),
    ]
    expect(renderRows([b, c, d], monitors)).toEqual([
      'd.example',
      '  api of d',
      'zoo',
      'c.example',
      'a standalone',
      'b.example',
    ])
  })

  it('show down favorites first, then other groups by their newest ongoing incident', () => {
    const [b, c] = [createWebsite('b.example'), createWebsite('c.example', { favorite: true })]
    const createDownFields = (at: string, website_id: number | null = null) =>
      ({ status: 'down', status_changed_at: `2026-01-05T${at}:00.000Z`, website_id }) as const
    const monitors = [
      createMonitor('alpha', 'https://a.example', createDownFields('08:00')),
      createMonitor('of b', 'https://b.example', { website_id: b.id }),
      createMonitor('also of b', 'https://api.b.example', createDownFields('09:00', b.id)),
      createMonitor('of c', 'https://c.example', createDownFields('07:00', c.id)),
      createMonitor('omega', 'https://o.example', createDownFields('09:59')),
      createMonitor('up since', 'https://u.example', { status_changed_at: '2026-01-05T09:59:59.000Z' }),
    ]
    expect(renderRows([b, c], monitors)).toEqual([
      'c.example + of c',
      'omega',
      'b.example + of b',
      '  also of b',
      'alpha',
      'up since',
    ])
    expect(renderRows([b, c], monitors, { filter: 'monitors' })).toEqual([
      'omega',
      'also of b',
      'alpha',
      'of c',
      'of b',
      'up since',
    ])
  })

  it('can be searched by domain, name or URL, and must match every word', () => {
    const site = createWebsite('example.com')
    const monitors = [
      createMonitor('Café', 'https://example.com/', { website_id: site.id }),
      createMonitor('Orders', 'https://api.example.com/ORDERS', { website_id: site.id }),
      createMonitor('Mail', 'mail.example.org', { type: 'ping' }),
    ]
    expect(renderRows([site], monitors, { query: ' CAFÉ example ' })).toEqual(['example.com + Café'])
    expect(renderRows([site], monitors, { query: 'orders' })).toEqual(['Orders'])
    expect(renderRows([site], monitors, { query: 'example.com' })).toEqual(['example.com + Café', '  Orders'])
    expect(renderRows([site], monitors, { query: '.org' })).toEqual(['Mail'])
    expect(renderRows([site], monitors, { query: 'nothing' })).toEqual([])
  })

  it('can be limited to monitors that are down, to websites, or to individual monitors', () => {
    const site = createWebsite('example.com')
    const monitors = [
      createMonitor('Front', 'https://example.com/', { website_id: site.id }),
      createMonitor('Orders', 'https://api.example.com/', { website_id: site.id, status: 'down' }),
      createMonitor('Apples', 'https://apples.example.org/'),
    ]
    expect(renderRows([site], monitors, { filter: 'down' })).toEqual(['Orders'])
    expect(renderRows([site], monitors, { filter: 'websites' })).toEqual(['example.com + Front'])
    expect(renderRows([site], monitors, { filter: 'monitors' })).toEqual(['Orders', 'Apples', 'Front'])
    expect(renderRows([site], monitors, { filter: 'monitors', query: 'fr' })).toEqual(['Front'])
  })

  it('include a monitor whose website is missing', () => {
    expect(renderRows([], [createMonitor('Front', 'https://example.com/', { website_id: 99_999 })])).toEqual(['Front'])
  })

  it('hide the other monitors of a collapsed website, except those that are searched for or filtered', () => {
    const [site, empty] = [createWebsite('example.com'), createWebsite('example.org')]
    const monitors = [
      createMonitor('Front', 'https://example.com/', { website_id: site.id }),
      createMonitor('Api', 'https://api.example.com/', { website_id: site.id, status: 'paused' }),
    ]
    const render = (options: { query?: string; filter?: RowFilter }) =>
      renderRows([site, empty], monitors, { ...options, collapsed: [site.id, empty.id] })
    expect(render({})).toEqual(['example.com + Front', 'example.org'])
    expect(render({ query: 'api' })).toEqual(['Api'])
    expect(render({ filter: 'paused' })).toEqual(['Api'])
    expect(render({ filter: 'up' })).toEqual(['example.com + Front'])
    const [row, emptyRow] = filterRows(groupRows({ websites: [site, empty], monitors }), '', 'all', {
      collapsedIds: new Set([site.id, empty.id]),
    })
    expect(row).toMatchObject({ isCollapsed: true, otherMonitors: [{ friendly_name: 'Api' }] })
    expect(emptyRow).toMatchObject({ isCollapsed: false })
  })

  it('can be found by the tags of a website and of its main monitor', () => {
    const site = createWebsite('example.com', { tags: ['Shop'] })
    const siteFields = { website_id: site.id }
    const monitors = [
      createMonitor('Front', 'https://example.com/', { ...siteFields, tags: ['eu'] }),
      createMonitor('API', 'https://api.example.com/', { ...siteFields, tags: ['shop', 'us'] }),
      createMonitor('Box', 'https://box.test/', { tags: ['EU'] }),
    ]
    const render = (tags: string[], filter: RowFilter = 'all') =>
      renderRows([site, createWebsite('example.org')], monitors, { tags, filter, collapsed: [site.id] })
    expect(render(['shop'])).toEqual(['example.com + Front', '  API'])
    expect(render(['EU'])).toEqual(['Box', 'example.com + Front'])
    expect(render(['eu', 'shop'])).toEqual(['example.com + Front'])
    expect(render(['us'], 'monitors')).toEqual(['API'])
    expect(render(['nothing'])).toEqual([])
  })
})
