import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  createManyMonitors,
  createPageMonitor,
  createPageSnapshot,
  openPost,
  plannedMaintenance,
  resolvedIncident,
  resolvedPost,
  SNAPSHOT_TIME,
} from '../../../tests/support/status-page-snapshots.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time.ts'
import { toStatusPagePaths } from '../urls.ts'
import { renderHistoryPage } from './history-page.ts'
import { renderStatusPage, type StatusPageOptions } from './html-page.ts'

type Changes = Parameters<typeof createPageSnapshot>[0]

const render = (changes?: Changes, options: Partial<StatusPageOptions> = {}) =>
  renderStatusPage(createPageSnapshot(changes), { paths: toStatusPagePaths('example', ''), ...options })

/** Returns the text that a visitor reads, without tags, in one line. */
const textOf = (html: string) =>
  (/<body.*?<script/s.exec(html)?.[0] ?? '').replace(/<[^>]*>?/g, ' ').replace(/\s+/g, ' ')

describe('a status page', () => {
  it.each([
    ['up', 'All systems operational'],
    ['partly_down', 'Some systems are down'],
    ['down', 'All systems are down'],
    ['incident', 'Incident in progress'],
    ['maintenance', 'Maintenance in progress'],
    ['unknown', 'No data yet'],
  ] as const)('says in words that its state is %s, with an icon, and in the tab', (overall, text) => {
    const html = render({ overall })
    expect(html).toContain(`<title>${text} · Example status</title>`)
    expect(html).toMatch(new RegExp(`<use href="#i-\\w+"/></svg><div><div role="status"><h2>${text}</h2></div>`))
  })

  it('shows the state of each monitor in words, with an icon, and its uptime', () => {
    const states = ['up', 'down', 'maintenance', 'pending', 'paused'] as const
    const monitors = states.map((state, id) => createPageMonitor({ id, label: state, state }))
    const html = render({ groups: [{ name: 'All', monitors }] })
    for (const text of ['Operational', 'Down', 'Under maintenance', 'No data yet', 'Paused']) {
      expect(html).toMatch(new RegExp(`<use href="#i-\\w+"/></svg>${text}</span>`))
    }
    expect(textOf(html)).toContain('100% uptime in 90 days')
  })

  it('never rounds an uptime with downtime up to 100%, and shows no uptime without checks', () => {
    const uptime = (last90Days: number | null) => ({ last24Hours: null, last30Days: null, last90Days })
    const monitors = [
      createPageMonitor({ id: 1, days: '0-89;3:1:1', uptime: uptime(99.999) }),
      createPageMonitor({ id: 2, days: '', uptime: uptime(null) }),
    ]
    const text = textOf(render({ groups: [{ name: 'All', monitors }] }))
    expect(text).toContain('99.99% uptime')
    expect(text).toContain('No uptime yet')
  })

  it('says since when a young monitor is monitored, and has no percentages in its first day', () => {
    const since = SNAPSHOT_TIME - 3 * HOUR_MS
    const days = '89-89;89:3000:1:10800'
    const monitors = [
      createPageMonitor({ id: 1, days, monitored: { since, ms: DAY_MS - 1 } }),
      createPageMonitor({ id: 2, monitored: { since: since - 13 * DAY_MS, ms: DAY_MS } }),
    ]
    const html = render({ groups: [{ name: 'All', monitors }] })
    expect(html).toContain('data-days="89-89;89:3000:1:0"')
    const text = textOf(html)
    expect(text).toMatch(
      /16 November: down 50 min\. .*Monitored since 16:40 UTC .*No downtime since monitoring began\./,
    )
    expect(text.match(/[\d.]+% uptime .*?2026/g)).toEqual(['100% uptime since 3 November 2026'])
  })

  it('has collapsible groups if there are several', () => {
    const group = (name: string) => ({ name, monitors: [createPageMonitor({ id: name.length })] })
    expect(render({ groups: [group('A')] })).not.toContain('<details class="card group"')
    const html = render({ groups: [group('A'), group('BB'), { name: 'Empty', monitors: [] }] })
    expect(html.match(/<details class="card group" id="group-\d" open>/g)).toHaveLength(2)
    expect(html).not.toContain('Empty')
  })

  it('says beside the name of a collapsible group that all of its monitors are paused', () => {
    const group = (name: string) => ({ name, monitors: [createPageMonitor({ id: name.length, state: 'paused' })] })
    const summaries = render({ groups: [group('A'), group('BB')] }).match(/<summary><h2>.*?<\/summary>/g) ?? []
    expect(summaries).toHaveLength(2)
    for (const summary of summaries) expect(summary).toContain('Paused')
  })

  it('shows open posts first, newest update first, then ongoing incidents, maintenances and groups', () => {
    const text = textOf(
      render({
        overall: 'partly_down',
        posts: [openPost, resolvedPost],
        incidents: [
          { ...resolvedIncident, label: 'Search', startedAt: SNAPSHOT_TIME - 14 * MINUTE_MS, resolvedAt: null },
          resolvedIncident,
        ],
        maintenances: [{ ...plannedMaintenance, title: 'Move', isActive: true }, plannedMaintenance],
      }),
    )
    const orderedTexts = [
      'Checkout is slow for some customers',
      'Affects Shop , Payments',
      'Identified 16 Nov 2026, 19:20 UTC A database of our payment provider',
      'Investigating 16 Nov 2026, 18:48 UTC Some payments take',
      'Search Down for 14 min, since 16 Nov 2026, 19:26 UTC',
      'Move In progress',
      'Database upgrade Planned 17 Nov 2026, 21:40 UTC – 23:40 UTC Affects Shop The shop is read-only',
      'Website Shop Operational',
      'Past incidents 15 November 2026 Shop Resolved after 14 min · 13:40 UTC – 13:54 UTC',
      '14 November 2026 Emails were delayed Resolved after 2 h · 17:40 UTC – 19:40 UTC',
    ]
    const positions = orderedTexts.map((part) => text.indexOf(part))
    expect(positions, text).not.toContain(-1)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
  })

  it('limits how much posts with many updates and monitors add to its size', () => {
    const updates = Array.from({ length: 40 }, (_, id) => ({
      ...openPost.updates[0],
      id,
      state: 'monitoring' as const,
      createdAt: 0,
      body: `Update ${id}.`,
    }))
    const labels = Array.from({ length: 500 }, (_, id) => `Monitor ${id}.`)
    const text = textOf(render({ posts: [{ ...openPost, updates, labels }] }))
    expect(text).toContain('Monitor 19. and 480 more')
    expect(text).toContain('Update 10.')
    expect(text).not.toContain('Update 9.')
    expect(text).toContain('10 older updates are not shown.')
  })

  it('shows a post and the outage that it is about as one entry', () => {
    const outage = { ...resolvedIncident, isInPost: true as const }
    const current = { ...outage, startedAt: SNAPSHOT_TIME - 60 * MINUTE_MS, resolvedAt: null }
    const posts = [
      { ...openPost, outages: [current] },
      { ...resolvedPost, createdAt: outage.startedAt + MINUTE_MS, labels: ['Shop'], outages: [outage] },
    ]
    const html = render({ posts, incidents: [current, outage] })
    expect(textOf(html)).toContain('Affects Shop , Payments Down for 1 h, since 16 Nov 2026, 18:40 UTC')
    expect(textOf(html)).toContain('Emails were delayed Down for 14 min · 13:40 UTC – 13:54 UTC Affects Shop')
    expect(html).not.toContain('<strong><bdi>Shop</bdi></strong>')
    const history = { month: '2026-11', incidents: [current, outage], maintenances: [], posts, isIncomplete: false }
    const paths = toStatusPagePaths('example', '')
    const options = { paths, canonicalUrl: undefined, firstMonth: '2026-11', lastMonth: '2026-11' }
    const historyHtml = renderHistoryPage(createPageSnapshot(), history, options)
    expect(textOf(historyHtml)).toContain('Emails were delayed Down for 14 min · 13:40 UTC – 13:54 UTC Affects Shop')
    expect(historyHtml).not.toContain('<strong><bdi>Shop</bdi></strong>')
  })

  it('shows times in its own time zone with the offset, on both sides of a clock change', () => {
    const at = (iso: string) => ({
      ...resolvedIncident,
      startedAt: Date.parse(iso),
      resolvedAt: Date.parse(iso) + 45 * MINUTE_MS,
    })
    const text = textOf(
      render({ page: { timeZone: 'Europe/Berlin' }, incidents: [at('2026-10-25T00:30Z'), at('2026-10-24T22:10Z')] }),
    )
    // Clocks go back from 3:00 to 2:00. Both incidents begin on 25 October in Berlin.
    expect(text).toContain('25 October 2026 Shop Resolved after 45 min · 02:30 UTC+2 – 02:15 UTC+1')
    expect(text).toContain('Shop Resolved after 45 min · 00:10 UTC+2 – 00:55 UTC+2')
    expect(text).toContain('Times and days are in Europe/Berlin.')
  })

  it('says how old a stored copy is, and that its state is the last known state', () => {
    const text = textOf(render({}, { staleSince: SNAPSHOT_TIME, now: SNAPSHOT_TIME + 12.5 * MINUTE_MS }))
    expect(text).toContain('This page is from 16 Nov 2026, 19:40 UTC , 12 min ago . Monitoring data is unavailable.')
    expect(text).toContain('Last known state: All systems operational')
    expect(textOf(render())).not.toContain('unavailable')
  })

  it('has a form to subscribe only if the server can send email, and always has feeds', () => {
    const html = render()
    expect(html).toContain('<form method="post" action="/status/example/subscribe">')
    expect(html).toContain('<input type="checkbox" name="monitor_ids" value="1"><bdi>Shop</bdi>')
    const htmlWithoutMail = render({ page: { canSubscribe: false } })
    expect(htmlWithoutMail).not.toContain('<form')
    expect(htmlWithoutMail).toContain('href="/status/example.rss">RSS</a>')
    expect(htmlWithoutMail).toContain('href="/status/example.atom"')
    expect(htmlWithoutMail).toContain('href="/status/example/feed.json"')
  })

  it('shows response times, with their average and range, only if its owner wants them', () => {
    const monitors = [createPageMonitor({ id: 1, responseMs: 184.4, responseTimes: [null, 120, 1_310] })]
    const groups = [{ name: 'All', monitors }]
    expect(textOf(render({ groups, page: { showResponseTimes: true } }))).toContain(
      'Response time in the last 24 hours 184 ms 120 – 1,310 ms',
    )
    expect(textOf(render({ groups }))).not.toContain('Response time')
    // One hour is too short for a line, and without responses there is no row.
    const renderTimes = (responseMs: number | null, responseTimes: (number | null)[]) =>
      render({
        page: { showResponseTimes: true },
        groups: [{ name: 'All', monitors: [createPageMonitor({ id: 1, responseMs, responseTimes })] }],
      })
    expect(textOf(renderTimes(184, [null, 184]))).toContain('Response time in the last 24 hours 184 ms ')
    expect(renderTimes(184, [null, 184])).not.toContain('class="spark"')
    expect(renderTimes(null, [null, null])).not.toContain('class="response"')
  })

  it('is indexed only if it is public, and has its description in the head', () => {
    const access = { pageId: 1, teamId: 1, privacy: 2, passwordHash: 'x' } as const
    expect(render({ access })).toContain('<meta name="robots" content="noindex">')
    expect(render({ access })).not.toContain('passwordHash')
    expect(render()).not.toContain('noindex')
    expect(render({ page: { description: 'All <of> us' } })).toContain(
      '<meta name="description" content="All &lt;of&gt; us">',
    )
  })

  it('has the theme, logo and colors of its owner, and does not refresh in a preview', () => {
    const html = render({ page: { theme: 'dark', logoHash: 'a1', accentColor: '#0a7d4f' } }, { isPreview: true })
    expect(html).toContain('data-theme="dark"')
    expect(html).toContain('<meta name="color-scheme" content="dark">')
    expect(html).toContain('<img class="logo" src="/status/example/logo?v=a1" alt="Example status">')
    expect(html).toContain('--accent-fill:light-dark(#0a7d4f,#0a7d4f)')
    expect(html).not.toContain('data-live')
    expect(render()).toContain('data-live')
  })

  it("has Belfry's mark, or the logo of its owner, and the typeface of the application", () => {
    const html = render({ page: { accentColor: null } }, { paths: toStatusPagePaths('example', '/belfry') })
    expect(html.match(/<svg class="mark"/g)).toHaveLength(2)
    expect(html).toMatch(/src:url\(\/belfry\/status\/inter-latin-[0-9a-f]{10}\.woff2\)/)
    expect(render({ page: { logoHash: 'a1' } }).match(/<svg class="mark"/g)).toHaveLength(1)
  })

  it('says what is missing if it is empty', () => {
    const text = textOf(render({ overall: 'unknown', groups: [] }))
    expect(text).toContain('This page has no monitors yet.')
    expect(text).toContain('No incidents in the last 30 days.')
  })
})

describe('hostile text on a status page', () => {
  const hostileText = '</title></style><script>alert(1)</script>"onload="x\'<!--\u202E'
  const html = render({
    page: { title: hostileText, description: hostileText },
    groups: [{ name: hostileText, monitors: [createPageMonitor({ id: 1, label: hostileText })] }],
    posts: [
      {
        ...openPost,
        title: hostileText,
        labels: [hostileText],
        updates: [{ id: 1, state: 'identified', body: hostileText, createdAt: 0 }],
      },
      { ...resolvedPost, title: hostileText, labels: [hostileText] },
    ],
    incidents: [
      { ...resolvedIncident, label: hostileText },
      { ...resolvedIncident, label: hostileText, resolvedAt: null },
    ],
    maintenances: [{ ...plannedMaintenance, title: hostileText, note: hostileText, labels: [hostileText] }],
  })

  it('is shown as text in the history, too', () => {
    const page = createPageSnapshot({ page: { title: hostileText } })
    const history = {
      month: '2026-11',
      incidents: [{ ...resolvedIncident, label: hostileText }],
      maintenances: [{ ...plannedMaintenance, title: hostileText, note: hostileText, labels: [hostileText] }],
      posts: [{ ...resolvedPost, title: hostileText }],
      isIncomplete: true,
    }
    const paths = toStatusPagePaths('example', '')
    const options = { paths, canonicalUrl: undefined, firstMonth: '2026-10', lastMonth: '2026-11' }
    const historyHtml = renderHistoryPage(page, history, options)
    expect(historyHtml.match(/<script/g)).toHaveLength(1)
    expect(historyHtml).not.toMatch(/"onload|<!--| style=/)
    expect(historyHtml).toContain('href="/status/example/history/2026-10"')
    expect(historyHtml).not.toContain('rel="next"')
  })

  it('is shown as text, not as markup', () => {
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toContain('"onload')
    expect(html).not.toContain('<!--')
    expect(html).not.toMatch(/ style=/)
  })

  it('cannot reverse the text of the tab', () => {
    expect(/<title>(.*?)<\/title>/.exec(html)?.[1]).toMatch(/^All systems operational · [^\u202E]+$/)
  })

  it('is isolated where it is part of a line, so that it cannot reverse the text after it', () => {
    const body = /<body.*?<script>/s.exec(html)?.[0] ?? ''
    const lineTexts = body.match(/<[^<>]*>[^<>]*\u202E/g) ?? []
    const unisolatedTexts = lineTexts.filter((text) => !/^<bdi>|^<(?:p|div)[^>]* dir="auto">|^<p>/.test(text))
    expect(lineTexts.length).toBeGreaterThan(10)
    expect(unisolatedTexts).toEqual([])
  })
})

describe('the size of a status page', () => {
  const gzippedSizeOf = (count: number) =>
    gzipSync(render({ page: { showResponseTimes: true }, groups: createManyMonitors(count) })).length

  it('is far below 60 kB on the wire for 10 and for 100 monitors, with response times', () => {
    expect(gzippedSizeOf(10)).toBeLessThan(12_000)
    expect(gzippedSizeOf(100)).toBeLessThan(30_000)
  })
})
