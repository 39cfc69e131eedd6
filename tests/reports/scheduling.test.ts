/** A report is due every Monday at 8:00 in the website's time zone. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { moveClockTo, type ReportFixture, startReportFixture, useSharedReportFixture } from '../support/reports.ts'

let fixture: ReportFixture
const resetFixture = useSharedReportFixture()

const listWeeks = async () => (await fixture.readReports()).map(({ week }) => week)

describe('a report that is turned on', () => {
  it('on Tuesday is due next Monday at 8:00, for the current week', async () => {
    fixture = await resetFixture({ start: '2026-01-06T12:00:00.000Z' })
    const { clock, getDueAt, createWebsite, startNode } = fixture
    const node = await startNode()
    const id = await createWebsite()
    expect(await getDueAt(id)).toBe('2026-01-12T08:00:00.000Z')
    moveClockTo(clock, '2026-01-12T07:59:59.999Z')
    await node.schedule()
    expect(await listWeeks()).toEqual([])
    moveClockTo(clock, '2026-01-12T08:00:00.000Z')
    await node.schedule()
    await node.schedule()
    expect(await listWeeks()).toEqual(['2026-01-05'])
    expect(await getDueAt(id)).toBe('2026-01-19T08:00:00.000Z')
  })

  it('on a Monday before 8:00 is due the same day, and after 8:00 a week later', async () => {
    fixture = await resetFixture({ start: '2026-01-05T07:30:00.000Z' })
    expect(await fixture.getDueAt(await fixture.createWebsite())).toBe('2026-01-05T08:00:00.000Z')
    moveClockTo(fixture.clock, '2026-01-05T08:30:00.000Z')
    const lateId = await fixture.createWebsite({ domain: 'late.example.com' })
    expect(await fixture.getDueAt(lateId)).toBe('2026-01-12T08:00:00.000Z')
  })

  it('and off again is not due', async () => {
    fixture = await resetFixture()
    const { clock, getDueAt, createWebsite, owner, startNode } = fixture
    const node = await startNode()
    const id = await createWebsite()
    await owner.session.put(`/api/v1/websites/${id}`, { email: 0 })
    expect(await getDueAt(id)).toBeNull()
    clock.advance({ days: 14 })
    await node.schedule()
    expect(await listWeeks()).toEqual([])
  })
})

describe('Monday at 8:00', () => {
  it.each([
    // In Berlin, New York and Lord Howe, daylight saving time begins or ends on the day before the report.
    ['Europe/Berlin', '2026-03-25T12:00:00.000Z', '2026-03-30T06:00:00.000Z', '2026-03-23'],
    ['Europe/Berlin', '2026-10-21T12:00:00.000Z', '2026-10-26T07:00:00.000Z', '2026-10-19'],
    ['America/New_York', '2026-03-04T12:00:00.000Z', '2026-03-09T12:00:00.000Z', '2026-03-02'],
    ['Asia/Kolkata', '2026-01-07T12:00:00.000Z', '2026-01-12T02:30:00.000Z', '2026-01-05'],
    ['Asia/Kathmandu', '2026-01-07T12:00:00.000Z', '2026-01-12T02:15:00.000Z', '2026-01-05'],
    ['Australia/Lord_Howe', '2026-04-01T12:00:00.000Z', '2026-04-05T21:30:00.000Z', '2026-03-30'],
    ['Pacific/Kiritimati', '2026-01-07T12:00:00.000Z', '2026-01-11T18:00:00.000Z', '2026-01-05'],
    ['Pacific/Pago_Pago', '2026-01-07T12:00:00.000Z', '2026-01-12T19:00:00.000Z', '2026-01-05'],
  ])('in %s, after %s, is %s', async (time_zone, start, due, week) => {
    fixture = await resetFixture({ start })
    const { clock, getDueAt, createWebsite, startNode } = fixture
    const node = await startNode()
    const id = await createWebsite({ time_zone })
    expect(await getDueAt(id)).toBe(due)
    moveClockTo(clock, due)
    clock.advance({ seconds: -1 })
    await node.schedule()
    expect(await listWeeks()).toEqual([])
    clock.advance({ seconds: 1 })
    await node.schedule()
    expect(await listWeeks()).toEqual([week])
  })

  it('moves with the time zone, without a second report for the same week', async () => {
    fixture = await resetFixture()
    const { clock, getDueAt, createWebsite, owner, startNode } = fixture
    const node = await startNode()
    const id = await createWebsite({ time_zone: 'Pacific/Auckland' })
    moveClockTo(clock, '2026-01-12T00:00:00.000Z')
    await node.schedule()
    await owner.session.put(`/api/v1/websites/${id}`, { time_zone: 'America/Los_Angeles' })
    expect(await getDueAt(id)).toBe('2026-01-19T16:00:00.000Z')
    moveClockTo(clock, '2026-01-12T16:00:00.000Z')
    await node.schedule()
    expect(await listWeeks()).toEqual(['2026-01-05'])
  })

  it('that has passed in a new time zone makes the report due immediately', async () => {
    fixture = await resetFixture()
    const { clock, getDueAt, createWebsite, owner, startNode } = fixture
    const node = await startNode()
    const id = await createWebsite({ time_zone: 'Pacific/Honolulu' })
    moveClockTo(clock, '2026-01-12T05:00:00.000Z')
    await owner.session.put(`/api/v1/websites/${id}`, { time_zone: 'Pacific/Auckland' })
    await node.schedule()
    expect(await listWeeks()).toEqual(['2026-01-05'])
    expect(await getDueAt(id)).toBe('2026-01-18T19:00:00.000Z')
  })
})

describe('a server that was down', () => {
  it('on Monday schedules the report later', async () => {
    fixture = await resetFixture()
    await fixture.createWebsite()
    moveClockTo(fixture.clock, '2026-01-15T20:00:00.000Z')
    await (await fixture.startNode()).schedule()
    expect(await listWeeks()).toEqual(['2026-01-05'])
  })

  it('for weeks schedules only the latest report', async () => {
    fixture = await resetFixture()
    const id = await fixture.createWebsite()
    moveClockTo(fixture.clock, '2026-02-04T20:00:00.000Z')
    await (await fixture.startNode()).schedule()
    expect(await listWeeks()).toEqual(['2026-01-26'])
    expect(await fixture.getDueAt(id)).toBe('2026-02-09T08:00:00.000Z')
  })

  it('replaces reports that were never sent with the latest report', async () => {
    fixture = await resetFixture()
    const { clock, createWebsite, mail, readReports, startNode } = fixture
    const node = await startNode()
    await createWebsite()
    moveClockTo(clock, '2026-01-12T08:00:00.000Z')
    await node.schedule()
    moveClockTo(clock, '2026-01-27T08:00:00.000Z')
    await node.run()
    expect(mail.received).toHaveLength(1)
    expect(mail.received[0]?.mail.text).toContain('19–25 January 2026')
    expect((await readReports()).map(({ week, state }) => [week, state])).toEqual([
      ['2026-01-05', 'failed'],
      ['2026-01-19', 'sent'],
    ])
  })
})

describe('several nodes', () => {
  it('schedule one report for each of many websites', async () => {
    fixture = await startReportFixture()
    onTestFinished(fixture.close)
    const { clock, owner, readReports, server, startNode } = fixture
    await server.services.db.query(
      `insert into websites (user_id, domain, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at)
       select $1, 'site-' || n || '.example.com', 0, 1, 1, false, 'UTC', $2, $2 from generate_series(1, 1200) n`,
      [owner.id, clock.now()],
    )
    const nodes = await Promise.all([startNode(), startNode(), startNode()])
    moveClockTo(clock, '2026-01-12T08:00:30.000Z')
    await Promise.all(nodes.map((node) => node.schedule()))
    expect(await readReports()).toHaveLength(1200)
    expect(new Set((await readReports()).map(({ message_id }) => message_id)).size).toBe(1200)
    const stillDue = await server.services.db.query('select from websites where report_due_at <= $1', [clock.now()])
    expect(stillDue).toEqual([])
  })

  it('retry scheduling, because a report and the next due date are stored together', async () => {
    fixture = await resetFixture()
    const { clock, getDueAt, createWebsite, readReports, server, startNode } = fixture
    const { db } = server.services
    const node = await startNode()
    const id = await createWebsite()
    moveClockTo(clock, '2026-01-12T08:00:00.000Z')
    await db.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`)
    await db.query('create trigger refuse before insert on weekly_reports for each row execute function refuse()')
    await node.schedule()
    expect([await readReports(), await getDueAt(id)]).toEqual([[], '2026-01-12T08:00:00.000Z'])
    expect(server.logLines.join('')).toContain('job failed, retrying later: schedule weekly reports')
    await db.query('drop trigger refuse on weekly_reports')
    await node.schedule()
    expect(await listWeeks()).toEqual(['2026-01-05'])
  })
})

describe('without a mail server', () => {
  it('due reports are skipped', async () => {
    fixture = await startReportFixture({ env: { BELFRY_SMTP_URL: '', BELFRY_MAIL_FROM: '' } })
    onTestFinished(fixture.close)
    const { clock, getDueAt, createWebsite, startNode } = fixture
    const id = await createWebsite()
    moveClockTo(clock, '2026-01-12T08:00:00.000Z')
    await (await startNode()).schedule()
    expect(await listWeeks()).toEqual([])
    expect(await getDueAt(id)).toBe('2026-01-19T08:00:00.000Z')
  })
})
