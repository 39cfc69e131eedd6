/** What stands in a report, as text and as HTML. */
import { describe, expect, it } from 'vitest'
import { sampleReport, noTraffic, quietReport } from '../../../tests/support/report-week.ts'
import { formatReportHtml } from './html.ts'
import { createReportLinks, type ReportLinks, unsubscribeHeaders } from './links.ts'
import type { Report } from './report.ts'
import { formatSubject } from './sentences.ts'
import { formatReportText } from './text.ts'

const links = createReportLinks('https://stats.example.org/belfry', 'example.com', '12.abc')

/** What a person reads of it. */
function shownOf(html: string): string {
  const body = html.slice(html.indexOf('<body'))
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }
  return body
    .replace(/<[^>]*>/g, ' ')
    .replace(/&([#\w]+);/g, (_, name) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
}

const shownBoth = (report: Report, some: ReportLinks | undefined) => [
  formatReportText(report, some).replace(/\s+/g, ' '),
  shownOf(formatReportHtml(report, some)),
]
const both = (report: Report) => shownBoth(report, links)

describe('a report', () => {
  it('has a subject that says the most', () => {
    expect(formatSubject(sampleReport)).toBe('example.com: 1,234 visitors last week')
    expect(formatSubject({ ...sampleReport, totals: { ...sampleReport.totals, visitors: 1 } })).toBe(
      'example.com: 1 visitor last week',
    )
    expect(formatSubject(quietReport)).toBe('example.com: no visitors last week')
    expect(formatSubject({ ...quietReport, when: 'in that week' })).toBe('example.com: no visitors in that week')
  })

  it('says the same as text and as HTML', () => {
    for (const shown of both(sampleReport)) {
      for (const words of [
        '5–11 January 2026',
        '1,234',
        '▲ 12 % more than the week before',
        '3,456',
        '▼ 6.6 % fewer than the week before',
        '41 %',
        '44 % the week before',
        '1 min 33 s',
        '/blog/how-we-count-visitors-without-cookies?ref=newsletter',
        'Hacker News',
        '99.948 %',
        '1 incident, 5 min 12 s down',
        'no incidents',
      ]) {
        expect(shown).toContain(words)
      }
    }
  })

  it('draws the days in cells that every mail program knows, and says them in words', () => {
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

  it('loads nothing and runs nothing', () => {
    const html = formatReportHtml(sampleReport, links)
    expect(html).not.toMatch(/<(script|img|link|iframe|svg|object|form)|url\(|@import|src=/i)
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      'https://stats.example.org/belfry/example.com',
      'https://stats.example.org/belfry/api/unsubscribe?token=12.abc',
      'https://stats.example.org/belfry/example.com/settings',
    ])
    expect(formatReportText(sampleReport, links)).toMatch(
      /Switch it off: .*token=12\.abc\nSettings: https:\/\/stats\.example\.org\/belfry\/example\.com\/settings\n$/,
    )
  })

  it('takes no orders from names that others chose', () => {
    const hostile = `</td><script>alert(1)</script><img src=x onerror=alert(1)> "' & \u202e`
    const html = formatReportHtml(
      {
        ...sampleReport,
        pages: [{ value: hostile, count: 1 }],
        sources: [{ value: hostile, count: 1 }],
        monitors: [{ name: hostile, uptimePercent: 100, incidents: 0, downtimeSeconds: 0 }],
      },
      links,
    )
    expect(html).not.toMatch(/<script|<img|\u202e/)
    expect(html.split('&lt;script&gt;alert(1)&lt;/script&gt;')).toHaveLength(4)
  })

  it('leaves out what there is nothing to say of', () => {
    for (const shown of both({ ...sampleReport, sources: [], monitors: [] })) {
      expect(shown).not.toMatch(/Where they came from|Uptime/)
    }
  })

  it('shows the five monitors that did worst, and counts the others', () => {
    const monitors = Array.from({ length: 7 }, (_, n) => ({
      name: `Monitor ${n}`,
      uptimePercent: 93 + n,
      incidents: 1,
      downtimeSeconds: 60,
    }))
    for (const shown of both({ ...sampleReport, monitors })) {
      expect(shown).toMatch(/Monitor 4.*and 2 more that did no worse/)
      expect(shown).not.toContain('Monitor 5')
    }
  })

  it('does not compare with a week in which nobody came', () => {
    for (const shown of both({ ...sampleReport, previous: noTraffic })) {
      expect(shown).toContain('none the week before')
      expect(shown).toContain('no visits the week before')
    }
  })
})

describe('a report of a week without a visit', () => {
  it('says so, and what the week before was like', () => {
    for (const shown of both(quietReport)) {
      expect(shown).toContain('It was a quiet week: nobody came to example.com. The week before it was 1,102 visitors.')
      expect(shown).not.toMatch(/Bounce rate|Top pages/)
    }
  })

  it('shows the snippet to whoever has not got it yet', () => {
    for (const shown of both({ ...quietReport, isNew: true })) {
      expect(shown).toContain(
        '<script defer src="https://stats.example.org/belfry/b.js" data-domain="example.com"></script>',
      )
    }
  })

  it('still says whether the website was up', () => {
    for (const shown of both({ ...quietReport, monitors: sampleReport.monitors })) expect(shown).toContain('99.948 %')
  })
})

describe('a server without https', () => {
  it('links, and promises no mail program that one click is enough', () => {
    const plain = createReportLinks('http://stats.example.org', 'example.com', '12.abc')
    const address = 'http://stats.example.org/api/unsubscribe?token=12.abc'
    expect(unsubscribeHeaders(plain)).toEqual({ 'List-Unsubscribe': `<${address}>` })
    for (const shown of [formatReportText(sampleReport, plain), formatReportHtml(sampleReport, plain)])
      expect(shown).toContain(address)
  })
})

describe('a server that does not know its own address', () => {
  it('writes no links and no header, and says where to switch the report off', () => {
    expect(createReportLinks(undefined, 'example.com', '12.abc')).toBeUndefined()
    expect(unsubscribeHeaders(undefined)).toEqual({})
    for (const report of [sampleReport, { ...quietReport, isNew: true }]) {
      expect(formatReportHtml(report, undefined)).not.toMatch(/href|https?:\/\//)
      for (const shown of shownBoth(report, undefined)) expect(shown).toContain('PATCH /api/v1/websites/12')
    }
  })
})
