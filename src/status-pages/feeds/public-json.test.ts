import { describe, expect, it } from 'vitest'
import { createStatusSnapshot } from '../../../tests/support/status-snapshot.ts'
import { compileValidator } from '../../http/validator-compiler.ts'
import { toStatusPageUrls } from '../urls.ts'
import { toPublicJson } from './public-json.ts'
import { PublicStatusResponse } from './schema.ts'

const snapshot = createStatusSnapshot()
const urls = toStatusPageUrls(snapshot.page, 'https://stats.example.com')

describe('toPublicJson', () => {
  it('returns JSON that matches its schema', () => {
    const validate = compileValidator({ schema: PublicStatusResponse, method: 'GET', url: '/', httpPart: 'body' })
    expect(validate(toPublicJson(snapshot, urls))).toBe(true)
  })

  it('returns the state, figures and days of every monitor, and nothing about access', () => {
    const { data } = toPublicJson(snapshot, urls)
    expect(data).toMatchObject({
      page: { title: 'Example status', url: 'https://stats.example.com/status/example', time_zone: 'Europe/Berlin' },
      status: 'partly_down',
      status_text: 'Some systems are down',
      updated_at: '2026-11-16T12:00:00.000Z',
    })
    const { days, ...shop } = data.groups[0]?.monitors[0] ?? { days: [] }
    expect(shop).toEqual({
      id: 3,
      label: 'Shop',
      state: 'up',
      since: '2026-11-15T10:05:12.000Z',
      uptime: { '24h': 100, '30d': 99.988, '90d': 99.996 },
      monitored_since: null,
      response_ms: 184,
    })
    expect(days).toHaveLength(90)
    expect(days[0]).toEqual({ date: '2026-08-19', uptime_percent: 100, downtime_seconds: 0 })
    expect(days[36]).toEqual({ date: '2026-09-24', uptime_percent: null, downtime_seconds: 0 })
    expect(days[41]).toEqual({ date: '2026-09-29', uptime_percent: 99, downtime_seconds: 864 })
    expect(days[89]).toEqual({ date: '2026-11-16', uptime_percent: 100, downtime_seconds: 0 })
    // The monitor was active for 11 hours of the last day.
    expect(data.groups[0]?.monitors[1]?.days[89]?.uptime_percent).toBe(99.697)
    expect(JSON.stringify(data)).not.toMatch(/user|password|page_?id/i)
  })

  it('returns incidents with their duration, and posts as Markdown and as HTML', () => {
    const { data } = toPublicJson(snapshot, urls)
    expect(data.incidents).toEqual([
      {
        monitor_id: 4,
        label: 'Orders',
        started_at: '2026-11-16T11:58:00.000Z',
        resolved_at: null,
        duration_seconds: null,
      },
      {
        monitor_id: 3,
        label: 'Shop',
        started_at: '2026-11-15T10:00:00.000Z',
        resolved_at: '2026-11-15T10:05:12.000Z',
        duration_seconds: 312,
      },
    ])
    expect(data.maintenances).toMatchObject([{ id: 7, starts_at: '2026-11-20T02:00:00.000Z', labels: ['Orders'] }])
    expect(data.posts[0]?.updates[0]).toMatchObject({
      body: 'We are **looking**.',
      body_html: expect.stringContaining('<strong>looking</strong>'),
    })
  })

  it('hides response times unless the page shows them', () => {
    const snapshotWithoutTimes = { ...snapshot, page: { ...snapshot.page, showResponseTimes: false } }
    expect(JSON.stringify(toPublicJson(snapshotWithoutTimes, urls))).not.toMatch(/response/)
  })
})
