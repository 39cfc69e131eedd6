/** Tests weekly emails from stored events to the mailbox. An email shows the figures of exactly one week. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { addIncident, addMonitoredPeriod, createMonitor } from '../support/monitors.ts'
import { insertPastVisits } from '../support/past-visits.ts'
import {
  addViews,
  BASE_URL,
  moveClockTo,
  type ReportFixture,
  startReportFixture,
  useSharedReportFixture,
} from '../support/reports.ts'

let fixture: ReportFixture
const resetFixture = useSharedReportFixture()

const MONDAY = '2026-01-12T08:00:00.000Z'

async function receiveReport() {
  await (await fixture.startNode()).run()
  const [receivedMail] = fixture.mail.received
  return { raw: receivedMail?.raw ?? '', subject: '', text: '', html: '', ...receivedMail?.mail }
}

describe('the email', () => {
  it('has the figures of the week and how they changed', async () => {
    fixture = await resetFixture()
    const { clock, createWebsite, server } = fixture
    const id = await createWebsite()
    await addViews(server, { id }, [
      { at: '2026-01-04T23:59:59Z', visitor: 1 },
      { at: '2026-01-05T00:00:00Z', visitor: 2, source: 'Google' },
      { at: '2026-01-05T00:01:30Z', visitor: 2, page: '/pricing' },
      { at: '2026-01-07T12:00:00Z', visitor: 3 },
      { at: '2026-01-11T23:59:59Z', visitor: 4 },
      { at: '2026-01-12T00:00:00Z', visitor: 5, page: '/too-late' },
    ])
    moveClockTo(clock, MONDAY)
    const { subject, text, html } = await receiveReport()
    expect(subject).toBe('example.com: 3 visitors last week')
    expect(text).toContain('Visitors: 3 (▲ 200% more than the previous week)')
    expect(text).toContain('Page views: 4 (▲ 300% more than the previous week)')
    expect(text).toContain('Bounce rate: 67% (100% in the previous week)')
    expect(text).toContain('Visit duration: 30 s (0 s in the previous week)')
    expect(text).toMatch(
      /Mon {2}█+ 1\n {2}Tue {2}0\n {2}Wed {2}█+ 1\n {2}Thu {2}0\n {2}Fri {2}0\n {2}Sat {2}0\n {2}Sun {2}█+ 1\n/,
    )
    expect(text).toContain('  3  /\n  1  /pricing\n')
    expect(text).toContain('  2  Direct\n  1  Google\n')
    expect(text).not.toContain('/too-late')
    expect(html).toContain('Monday 1, Tuesday 0, Wednesday 1')
    expect(html).toMatch(/href="[^"]*\/example\.com\?from=\d{4}-\d\d-\d\d&amp;to=\d{4}-\d\d-\d\d"/)
  })

  it('uses the days of the website’s time zone, even when daylight saving time begins', async () => {
    fixture = await resetFixture({ start: '2026-03-25T12:00:00.000Z' })
    const timeZone = 'Europe/Berlin'
    const id = await fixture.createWebsite({ time_zone: timeZone })
    await addViews(fixture.server, { id, timeZone }, [
      { at: '2026-03-22T22:59:59Z', visitor: 1 },
      { at: '2026-03-22T23:00:00Z', visitor: 2 },
      // This Sunday has only 23 hours.
      { at: '2026-03-29T21:59:59Z', visitor: 3 },
      { at: '2026-03-29T22:00:00Z', visitor: 4 },
    ])
    moveClockTo(fixture.clock, '2026-03-30T06:00:00.000Z')
    const { subject, text } = await receiveReport()
    expect(subject).toBe('example.com: 2 visitors last week')
    expect(text).toContain('23–29 March 2026')
    expect(text).toMatch(/Mon {2}█+ 1\n(.*\n){5} {2}Sun {2}█+ 1\n/)
  })

  it('shows the domain in Unicode, and links to it in ASCII', async () => {
    fixture = await resetFixture()
    await fixture.createWebsite({ domain: 'müller.de' })
    moveClockTo(fixture.clock, MONDAY)
    const { subject, text, html } = await receiveReport()
    expect(subject).toBe('müller.de: no visitors last week')
    expect(text).toContain(`${BASE_URL}/xn--mller-kva.de`)
    expect(html).toContain('>müller.de</h1>')
  })

  it('escapes page names that visitors sent', async () => {
    fixture = await resetFixture()
    const id = await fixture.createWebsite()
    const page = '/<img src=x onerror=alert(1)>"\r\nBcc: all@example.com'
    await addViews(fixture.server, { id }, [{ at: '2026-01-07T12:00:00Z', page, source: '<b>Direct</b>' }])
    moveClockTo(fixture.clock, MONDAY)
    const { html, bcc, text } = await receiveReport()
    expect(html).toContain('/&lt;img src=x onerror=alert(1)&gt;&quot; Bcc: all@example.com')
    expect(html).not.toMatch(/<img(?! src="cid:)|<b>/)
    expect(text).toContain('/<img src=x onerror=alert(1)>" Bcc: all@example.com')
    expect(bcc).toBeUndefined()
  })

  it('shows the snippet until the first visit, and afterwards a note about a quiet week', async () => {
    fixture = await resetFixture()
    const { clock, createWebsite, mail, server } = fixture
    const id = await createWebsite()
    moveClockTo(clock, MONDAY)
    const firstReport = await receiveReport()
    expect(firstReport.text).toContain(`<script defer src="${BASE_URL}/b.js" data-domain="example.com"></script>`)
    await addViews(server, { id }, [{ at: '2026-01-13T12:00:00Z' }])
    clock.advance({ days: 14 })
    await receiveReport()
    expect(mail.received[1]?.mail.text).toContain(
      'example.com had no visitors this week, after 1 visitor in the previous week.',
    )
    expect(mail.received[1]?.mail.text).not.toContain('<script')
  })

  it('has the uptime of the owner’s monitors of the domain, in exactly the week of the report', async () => {
    fixture = await resetFixture({ start: '2026-01-07T10:00:00.000Z' })
    const { clock, createWebsite, owner, server } = fixture
    await createWebsite({ time_zone: 'Asia/Kolkata' })
    const addMonitor = (person: typeof owner, friendly_name: string, url: string) =>
      createMonitor(person.session, { friendly_name, url, type: url.includes('/') ? 'http' : 'ping' })
    const shopMonitor = await addMonitor(owner, 'Shop <all>', 'https://www.Example.com/shop')
    const hostMonitor = await addMonitor(owner, 'Host', 'db.example.com')
    const unrelatedMonitor = await addMonitor(owner, 'Elsewhere', 'https://example.com.example.org/')
    const unwatchedMonitor = await addMonitor(owner, 'Unwatched', 'https://example.com/')
    const strangersMonitor = await addMonitor(await server.createUser('stranger'), 'Theirs', 'https://example.com/')
    // It is 8:00 in Kolkata, so the week ended eight hours ago.
    moveClockTo(clock, '2026-01-12T02:30:00.000Z')
    const HOUR_SECONDS = 3600
    const secondsSinceWeekEnd = 8 * HOUR_SECONDS
    for (const { id } of [shopMonitor, hostMonitor, unrelatedMonitor, strangersMonitor])
      await addMonitoredPeriod(server, id, { from: 30 * 24 * HOUR_SECONDS })
    await addMonitoredPeriod(server, unwatchedMonitor.id, { from: secondsSinceWeekEnd })
    // The three incidents of the shop overlap the week by 30, 60 and 42 minutes. The host's incident starts when the week ends.
    const secondsSinceWeekStart = secondsSinceWeekEnd + 7 * 24 * HOUR_SECONDS
    await addIncident(server, shopMonitor.id, {
      from: secondsSinceWeekStart + HOUR_SECONDS,
      to: secondsSinceWeekStart - HOUR_SECONDS / 2,
    })
    await addIncident(server, shopMonitor.id, {
      from: secondsSinceWeekEnd + 50 * HOUR_SECONDS,
      to: secondsSinceWeekEnd + 49 * HOUR_SECONDS,
    })
    await addIncident(server, shopMonitor.id, { from: secondsSinceWeekEnd + 0.7 * HOUR_SECONDS, to: 0 })
    await addIncident(server, hostMonitor.id, { from: secondsSinceWeekEnd, to: 0 })
    const { text, html } = await receiveReport()
    // The downtime is 2 h 12 min of 168 h.
    expect(text).toContain(
      'Uptime\n  3 outages, 2 hours 12 minutes\n  Shop <all>: 98.69%, 3 incidents, 2 h 12 min of downtime\n  Host: 100%, no incidents\n',
    )
    expect(text).not.toMatch(/Elsewhere|Unwatched|Theirs/)
    expect(html).toContain('Shop &lt;all&gt;')
  })

  it('says how many visits were missed during outages, and counts overlapping outages once', async () => {
    fixture = await resetFixture()
    const { clock, createWebsite, owner, server } = fixture
    const websiteId = await createWebsite()
    const monitors = [await createMonitor(owner.session), await createMonitor(owner.session)]
    moveClockTo(clock, MONDAY)
    const outageStart = Date.parse('2026-01-11T12:00:00Z')
    await insertPastVisits(server.services.db, websiteId, {
      days: 8 * 7,
      to: clock.now(),
      countAt: (at) => (at >= outageStart && at < outageStart + HOUR_MS ? 0 : 9 + ((at / (5 * MINUTE_MS)) % 3)),
    })
    for (const { id } of monitors) {
      await addMonitoredPeriod(server, id, { from: 30 * 24 * 3600 })
      await addIncident(server, id, { from: 20 * 3600, to: 19 * 3600 })
    }
    const { text, html } = await receiveReport()
    const line = /1 outage, 1 hour, about (\d+) visits missed \((\d+) to (\d+)\)/
    const [missedVisits = 0, low = 0, high = 0] =
      line
        .exec(text ?? '')
        ?.slice(1)
        .map(Number) ?? []
    // Ten visits begin in five minutes, so 120 in an hour.
    expect([low < missedVisits, missedVisits < high, Math.abs(missedVisits - 120) < 30]).toEqual([true, true, true])
    expect(html).toMatch(line)
  })

  it('has the uptime of the monitors that were down, even if the domain has more than 50 monitors', async () => {
    fixture = await resetFixture()
    const { clock, createWebsite, owner, server } = fixture
    await createWebsite()
    const { id } = await createMonitor(owner.session, { friendly_name: 'Broken' })
    moveClockTo(clock, MONDAY)
    await addMonitoredPeriod(server, id, { from: 30 * 24 * 3600 })
    await addIncident(server, id, { from: 6 * 24 * 3600, to: 6 * 24 * 3600 - 3600 })
    // Add 60 monitors without downtime. They are created after the broken one, and their status changed later.
    await server.services.db.query(
      `with added as (
         insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
           remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at)
         select user_id, 'Quiet', url, type, interval_seconds, retries, retry_interval_seconds, remind_every_minutes, http,
           status, $1, search_text, created_at, updated_at
           from monitors, generate_series(1, 60) where id = $2
         returning user_id, id
       )
       insert into watches (user_id, monitor_id, started_at) select user_id, id, '2026-01-01' from added`,
      [clock.now(), id],
    )
    expect((await receiveReport()).text).toMatch(
      /Uptime\n {2}1 outage, 1 hour\n {2}Broken: 99.40%, 1 incident, 1 h of downtime\n( {2}Quiet: 100%, no incidents\n){4} {2}and 56 more monitors/,
    )
  })

  it('has the headers that mail programs need for one-click unsubscribe', async () => {
    fixture = await resetFixture()
    await fixture.createWebsite()
    moveClockTo(fixture.clock, MONDAY)
    const { raw, text, html } = await receiveReport()
    const mailHeaders = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ')
    const link = /^List-Unsubscribe: <([^>\s]+)>$/m.exec(mailHeaders.replaceAll('\r', ''))?.[1] ?? ''
    expect(link).toMatch(/^https:\/\/stats\.example\.org\/api\/unsubscribe\?token=\d+\.[\w-]{43}$/)
    expect(mailHeaders).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m)
    expect(text).toContain(link)
    expect(html).toContain(link)
    expect(raw).toContain('multipart/alternative')
  })

  it('has no links if BELFRY_URL is not set', async () => {
    fixture = await startReportFixture({ env: { BELFRY_URL: '' } })
    onTestFinished(fixture.close)
    await fixture.createWebsite()
    moveClockTo(fixture.clock, MONDAY)
    const { raw, text, html } = await receiveReport()
    expect(raw).not.toMatch(/List-Unsubscribe/i)
    expect(text).toContain('open the settings of example.com, and turn off the weekly report.')
    expect(`${text}${html}`).not.toMatch(/https?:\/\//)
  })
})
