/** Sample reports for one week. */

import { listDays } from '../../src/lib/local-day.ts'
import type { Report } from '../../src/reports/report.ts'
import type { Impact } from '../../src/shared/impact.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { sampleImpact } from './sample-messages.ts'

const week = '2026-01-05'

/** A monitor that was monitored all week. */
export const wholeWeek = { monitoredSince: null, monitoredMs: 7 * DAY_MS }

export const sampleReport: Report = {
  websiteId: 12,
  domain: 'example.com',
  name: 'example.com',
  week,
  when: 'last week',
  totals: {
    visitors: 1234,
    pageviews: 3456,
    visits: 1400,
    events: 17,
    bounce_rate: 41.2,
    visit_duration: 93,
    views_per_visit: 2.5,
  },
  previousTotals: {
    visitors: 1102,
    pageviews: 3700,
    visits: 1300,
    events: 12,
    bounce_rate: 44,
    visit_duration: 70,
    views_per_visit: 2.8,
  },
  days: listDays(week, '2026-01-11').map((day, n) => ({ day, visitors: [182, 240, 221, 199, 0, 90, 302][n] ?? 0 })),
  pages: [
    { value: '/', count: 1200 },
    { value: '/pricing', count: 640 },
    { value: '/blog/how-we-count-visitors-without-cookies?ref=newsletter', count: 88 },
    { value: '/docs', count: 31 },
    { value: '/about', count: 9 },
  ],
  sources: [
    { value: 'Direct', count: 700 },
    { value: 'Google', count: 401 },
    { value: 'Hacker News', count: 133 },
  ],
  isNew: false,
  monitors: [
    { monitorId: 3, name: 'Blog', uptimePercent: 99.907, incidentCount: 1, downtimeSeconds: 557, ...wholeWeek },
    { monitorId: 4, name: 'Shop', uptimePercent: 99.948, incidentCount: 1, downtimeSeconds: 312, ...wholeWeek },
    { monitorId: 5, name: 'API', uptimePercent: 100, incidentCount: 0, downtimeSeconds: 0, ...wholeWeek },
  ],
  outages: { outages: 2, downtimeSeconds: 869, impact: sampleImpact },
}

export const unknownImpact: Impact = {
  visits_expected: null,
  visits_low: null,
  visits_high: null,
  visits_seen: null,
  visits_missed: null,
  visits_missed_low: null,
  visits_missed_high: null,
  confidence: 0.9,
  basis: 'too_little_traffic',
}

export const noTraffic: Report['totals'] = {
  visitors: 0,
  pageviews: 0,
  visits: 0,
  events: 0,
  bounce_rate: null,
  visit_duration: null,
  views_per_visit: null,
}

export const quietReport: Report = {
  ...sampleReport,
  totals: noTraffic,
  days: sampleReport.days.map(({ day }) => ({ day, visitors: 0 })),
  pages: [],
  sources: [],
  monitors: [],
  outages: { outages: 0, downtimeSeconds: 0, impact: unknownImpact },
}
