/** The content of a report as text and as HTML. */
import { describe, expect, it } from 'vitest'
import { noTraffic, quietReport, sampleReport, unknownImpact, wholeWeek } from '../../tests/support/report-week.ts'
import { createUnsubscribeHeaders } from '../mail/unsubscribe-headers.ts'
import { formatReportHtml } from './html.ts'
import { createReportLinks, type ReportLinks } from './links.ts'
import type { Report } from './report.ts'
import { formatSubject } from './sentences.ts'
import { formatReportText } from './text.ts'

const links = createReportLinks('https://stats.example.org/belfry', sampleReport, '12.abc')

/** The text that a reader sees. */
function toVisibleText(html: string): string {
  const body = html.slice(html.indexOf('<body'))
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }
  return body
    .replace(/<[^>]*>/g, ' ')
    .replace(/&([#\w]+);/g, (_, name) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
}

const formatBoth = (report: Report, reportLinks: ReportLinks | undefined) => [
  formatReportText(report, reportLinks).replace(/\s+/g, ' '),
  toVisibleText(formatReportHtml(report, reportLinks)),
]

describe('a report', () => {
  it('has the number of visitors in its subject', () => {
    expect(formatSubject(sampleReport)).toBe('example.com: 1,234 visitors last week')
    expect(formatSubject({ ...sampleReport, totals: { ...sampleReport.totals, visitors: 1 } })).toBe(
      'example.com: 1 visitor last week',
    )
    expect(formatSubject(quietReport)).toBe('example.com: no visitors last week')
    expect(formatSubject({ ...quietReport, when: 'in that week' })).toBe('example.com: no visitors in that week')
  })

  it('has the same content as text and as HTML', () => {
    for (const text of formatBoth(sampleReport, links)) {
      for (const phrase of [
        '5–11 January 2026',
        '1,234',
        '▲ 12% more than the previous week',
        '3,456',
        '▼ 6.6% fewer than the previous week',
        '41%',
        '44% in the previous week',
        '1 min 33 s',
        '/blog/how-we-count-visitors-without-cookies?ref=newsletter',
        'Hacker News',
        '99.94%',
        '2 outages, 14 minutes, about 140 visits missed (95 to 190)',
        '1 incident, 5 min 12 s of downtime',
        'no incidents',
      ]) {
        expect(text).toContain(phrase)
      }
    }
  })

  it('draws the days with table cells, and describes them for screen readers', () => {
    const html = formatReportHtml(sampleReport, links)
    expect(html).toContain(
      'aria-label="Visitors by day: Monday 182, Tuesday 240, Wednesday 221, Thursday 199, Friday 0, Saturday 90, Sunday 302"',
    )
    expect([...html.matchAll(/<td height="(\d+)"/g)].map(([, height]) => Number(height))).toEqual([
      53, 70, 64, 58, 2, 26, 88,
    ])
    expect(formatReportText(sampleReport, links)).toContain(
      `  Sat  ${'█'.repeat(7)} 90\n  Sun  ${'█'.repeat(24)} 302\n`,
    )
  })

  it('loads no files and runs no scripts', () => {
    const html = formatReportHtml(sampleReport, links)
    expect(html).not.toMatch(/<(script|img(?! src="cid:)|link|iframe|svg|object|form)|url\(|@import|src=(?!"cid:)/i)
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      ...[3, 4, 5].map((id) => `https://stats.example.org/belfry/monitors/${id}`),
      'https://stats.example.org/belfry/example.com?from=2026-01-05&amp;to=2026-01-11',
      'https://stats.example.org/belfry/incidents?website=12&amp;from=2026-01-05&amp;to=2026-01-11',
      'https://stats.example.org/belfry/api/unsubscribe?token=12.abc',
      'https://stats.example.org/belfry/example.com/settings',
    ])
    expect(formatReportText(sampleReport, links)).toMatch(
      /Unsubscribe: .*token=12\.abc\nSettings: https:\/\/stats\.example\.org\/belfry\/example\.com\/settings\n$/,
    )
  })

  it('escapes names that others chose', () => {
    const hostileName = `</td><script>alert(1)</script><img src=x onerror=alert(1)> "' & \u202e`
    const html = formatReportHtml(
      {
        ...sampleReport,
        pages: [{ value: hostileName, count: 1 }],
        sources: [{ value: hostileName, count: 1 }],
        monitors: [
          { monitorId: 3, name: hostileName, uptimePercent: 100, incidentCount: 0, downtimeSeconds: 0, ...wholeWeek },
        ],
      },
      links,
    )
    expect(html).not.toMatch(/<script|<img(?! src="cid:)|\u202e/)
    expect(html.split('&lt;script&gt;alert(1)&lt;/script&gt;')).toHaveLength(4)
  })

  it('leaves out empty sections', () => {
    for (const text of formatBoth(
      { ...sampleReport, sources: [], monitors: [], outages: quietReport.outages },
      links,
    )) {
      expect(text).not.toMatch(/Top sources|Uptime/)
    }
  })

  it.each([
    [{ outages: 1, downtimeSeconds: 45 }, 'Uptime 1 outage, 45 seconds, about 140 visits missed (95 to 190)'],
    [{ impact: unknownImpact }, 'Uptime 2 outages, 14 minutes View'],
  ])('says what outages have cost, even if no monitor is listed: %j', (changes, line) => {
    const outages = { ...sampleReport.outages, ...changes }
    for (const text of formatBoth({ ...sampleReport, monitors: [], outages }, links)) expect(text).toContain(line)
  })

  it('has no line about outages if there was none', () => {
    for (const text of formatBoth({ ...sampleReport, outages: quietReport.outages }, links)) {
      expect(text).not.toMatch(/outage/)
    }
  })

  it('lists the five monitors with the lowest uptime, and counts the other monitors', () => {
    const monitors = Array.from({ length: 7 }, (_, n) => ({
      monitorId: n,
      name: `Monitor ${n}`,
      uptimePercent: 93 + n,
      incidentCount: 1,
      downtimeSeconds: 60,
      ...wholeWeek,
    }))
    for (const text of formatBoth({ ...sampleReport, monitors }, links)) {
      expect(text).toMatch(/Monitor 4.*and 2 more monitors with equal or better uptime/)
      expect(text).not.toContain('Monitor 5')
    }
  })

  it('says since when a new monitor is monitored, without a percentage before it has a day of data', () => {
    const young = {
      monitorId: 3,
      uptimePercent: 71.964,
      incidentCount: 1,
      downtimeSeconds: 600,
      monitoredSince: '2026-01-10',
    }
    const monitors = [
      { ...young, name: 'Shop', monitoredMs: 86_400_000 },
      { ...young, name: 'Blog', monitoredMs: 86_399_999 },
    ]
    for (const text of formatBoth({ ...sampleReport, monitors }, links)) {
      const detail = '1 incident since 10 January, 10 min of downtime'
      for (const part of [detail, 'Shop', 'Blog', '71.96%', 'New']) expect(text).toContain(part)
      expect(text.match(/71\.96%/g)).toHaveLength(1)
    }
  })

  it('does not compare with a week without visits', () => {
    for (const text of formatBoth({ ...sampleReport, previousTotals: noTraffic }, links)) {
      expect(text).toContain('none in the previous week')
      expect(text).toContain('no visits in the previous week')
    }
  })
})

describe('a report for a week without visits', () => {
  it('says that there were no visits, and compares with the previous week', () => {
    for (const text of formatBoth(quietReport, links)) {
      expect(text).toContain('example.com had no visitors this week, after 1,102 visitors in the previous week.')
      expect(text).not.toMatch(/Bounce rate|Top pages/)
    }
  })

  it('shows the snippet if the website never had a visit', () => {
    for (const text of formatBoth({ ...quietReport, isNew: true }, links)) {
      expect(text).toContain(
        '<script defer src="https://stats.example.org/belfry/b.js" data-domain="example.com"></script>',
      )
    }
  })

  it('still shows the uptime', () => {
    for (const text of formatBoth({ ...quietReport, monitors: sampleReport.monitors }, links))
      expect(text).toContain('99.94%')
  })
})

describe('a report from a server without https', () => {
  it('has an unsubscribe link, but no one-click unsubscribe', () => {
    const httpLinks = createReportLinks('http://stats.example.org', sampleReport, '12.abc')
    const address = 'http://stats.example.org/api/unsubscribe?token=12.abc'
    expect(createUnsubscribeHeaders(httpLinks?.unsubscribe)).toEqual({ 'List-Unsubscribe': `<${address}>` })
    for (const text of [formatReportText(sampleReport, httpLinks), formatReportHtml(sampleReport, httpLinks)])
      expect(text).toContain(address)
  })
})

describe('a report from a server without a public URL', () => {
  it('has no links and headers, and explains how to turn the report off', () => {
    expect(createReportLinks(undefined, sampleReport, '12.abc')).toBeUndefined()
    expect(createUnsubscribeHeaders(undefined)).toEqual({})
    for (const report of [sampleReport, { ...quietReport, isNew: true }]) {
      expect(formatReportHtml(report, undefined)).not.toMatch(/href|https?:\/\//)
      for (const text of formatBoth(report, undefined)) {
        expect(text).toContain('sign in to Belfry, open the settings of example.com, and turn off the weekly report.')
        expect(text).not.toMatch(/PATCH|\/api\//)
      }
    }
  })
})
