/** When a website gets its report: Monday at eight by its own clock, once for each week. */
import { afterEach, describe, expect, it } from 'vitest'
import { goTo, type Reporting, startReporting } from '../support/reports.ts'

let reporting: Reporting
afterEach(() => reporting.close())

const weeks = async () => (await reporting.rows()).map(({ week }) => week)

describe('a report that was switched on', () => {
  it('on Tuesday is due next Monday at eight, of the week from then', async () => {
    reporting = await startReporting({ start: '2026-01-06T12:00:00.000Z' })
    const { clock, dueAt, makeWebsite, startNode } = reporting
    const node = await startNode()
    const id = await makeWebsite()
    expect(await dueAt(id)).toBe('2026-01-12T08:00:00.000Z')
    goTo(clock, '2026-01-12T07:59:59.999Z')
    await node.decide()
    expect(await weeks()).toEqual([])
    goTo(clock, '2026-01-12T08:00:00.000Z')
    await node.decide()
    await node.decide()
    expect(await weeks()).toEqual(['2026-01-05'])
    expect(await dueAt(id)).toBe('2026-01-19T08:00:00.000Z')
  })

  it('on a Monday at half past seven is due at eight, at half past eight in a week', async () => {
    reporting = await startReporting({ start: '2026-01-05T07:30:00.000Z' })
    expect(await reporting.dueAt(await reporting.makeWebsite())).toBe('2026-01-05T08:00:00.000Z')
    goTo(reporting.clock, '2026-01-05T08:30:00.000Z')
    const late = await reporting.makeWebsite({ domain: 'late.example.com' })
    expect(await reporting.dueAt(late)).toBe('2026-01-12T08:00:00.000Z')
  })

  it('and off again is not due at all', async () => {
    reporting = await startReporting()
    const { clock, dueAt, makeWebsite, owner, startNode } = reporting
    const node = await startNode()
    const id = await makeWebsite()
    await owner.session.put(`/api/v1/websites/${id}`, { email: 0 })
    expect(await dueAt(id)).toBeNull()
    clock.advance({ days: 14 })
    await node.decide()
    expect(await weeks()).toEqual([])
  })
})

describe('eight o’clock', () => {
  it.each([
    // Clocks change on the Sunday before.
    ['Europe/Berlin', '2026-03-25T12:00:00.000Z', '2026-03-30T06:00:00.000Z', '2026-03-23'],
    ['Europe/Berlin', '2026-10-21T12:00:00.000Z', '2026-10-26T07:00:00.000Z', '2026-10-19'],
    ['America/New_York', '2026-03-04T12:00:00.000Z', '2026-03-09T12:00:00.000Z', '2026-03-02'],
    ['Asia/Kolkata', '2026-01-07T12:00:00.000Z', '2026-01-12T02:30:00.000Z', '2026-01-05'],
    ['Asia/Kathmandu', '2026-01-07T12:00:00.000Z', '2026-01-12T02:15:00.000Z', '2026-01-05'],
    ['Australia/Lord_Howe', '2026-04-01T12:00:00.000Z', '2026-04-05T21:30:00.000Z', '2026-03-30'],
    ['Pacific/Kiritimati', '2026-01-07T12:00:00.000Z', '2026-01-11T18:00:00.000Z', '2026-01-05'],
    ['Pacific/Pago_Pago', '2026-01-07T12:00:00.000Z', '2026-01-12T19:00:00.000Z', '2026-01-05'],
  ])('in %s, from %s on, is %s', async (time_zone, start, due, week) => {
    reporting = await startReporting({ start })
    const { clock, dueAt, makeWebsite, startNode } = reporting
    const node = await startNode()
    const id = await makeWebsite({ time_zone })
    expect(await dueAt(id)).toBe(due)
    goTo(clock, due)
    clock.advance({ seconds: -1 })
    await node.decide()
    expect(await weeks()).toEqual([])
    clock.advance({ seconds: 1 })
    await node.decide()
    expect(await weeks()).toEqual([week])
  })

  it('of another zone is another time, and no second report of a week', async () => {
    reporting = await startReporting()
    const { clock, dueAt, makeWebsite, owner, startNode } = reporting
    const node = await startNode()
    const id = await makeWebsite({ time_zone: 'Pacific/Auckland' })
    goTo(clock, '2026-01-12T00:00:00.000Z')
    await node.decide()
    await owner.session.put(`/api/v1/websites/${id}`, { time_zone: 'America/Los_Angeles' })
    expect(await dueAt(id)).toBe('2026-01-19T16:00:00.000Z')
    goTo(clock, '2026-01-12T16:00:00.000Z')
    await node.decide()
    expect(await weeks()).toEqual(['2026-01-05'])
  })

  it('of another zone in which Monday at 8 is over already comes at once', async () => {
    reporting = await startReporting()
    const { clock, dueAt, makeWebsite, owner, startNode } = reporting
    const node = await startNode()
    const id = await makeWebsite({ time_zone: 'Pacific/Honolulu' })
    goTo(clock, '2026-01-12T05:00:00.000Z')
    await owner.session.put(`/api/v1/websites/${id}`, { time_zone: 'Pacific/Auckland' })
    await node.decide()
    expect(await weeks()).toEqual(['2026-01-05'])
    expect(await dueAt(id)).toBe('2026-01-18T19:00:00.000Z')
  })
})

describe('a server that was away', () => {
  it('on Monday decides late', async () => {
    reporting = await startReporting()
    await reporting.makeWebsite()
    goTo(reporting.clock, '2026-01-15T20:00:00.000Z')
    await (await reporting.startNode()).decide()
    expect(await weeks()).toEqual(['2026-01-05'])
  })

  it('for weeks decides on the latest alone', async () => {
    reporting = await startReporting()
    const id = await reporting.makeWebsite()
    goTo(reporting.clock, '2026-02-04T20:00:00.000Z')
    await (await reporting.startNode()).decide()
    expect(await weeks()).toEqual(['2026-01-26'])
    expect(await reporting.dueAt(id)).toBe('2026-02-09T08:00:00.000Z')
  })

  it('does not send what it decided weeks ago, but what is the latest', async () => {
    reporting = await startReporting()
    const { clock, makeWebsite, mail, rows, startNode } = reporting
    const node = await startNode()
    await makeWebsite()
    goTo(clock, '2026-01-12T08:00:00.000Z')
    await node.decide()
    goTo(clock, '2026-01-27T08:00:00.000Z')
    await node.run()
    expect(mail.received).toHaveLength(1)
    expect(mail.received[0]?.mail.text).toContain('19–25 January 2026')
    expect((await rows()).map(({ week, state }) => [week, state])).toEqual([
      ['2026-01-05', 'failed'],
      ['2026-01-19', 'sent'],
    ])
  })
})

describe('several nodes', () => {
  it('decide once on each of many websites', async () => {
    reporting = await startReporting()
    const { clock, owner, rows, server, startNode } = reporting
    await server.services.db.query(
      `insert into websites (user_id, domain, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at)
       select $1, 'site-' || n || '.example.com', 0, 1, 1, false, 'UTC', $2, $2 from generate_series(1, 1200) n`,
      [owner.id, clock.now()],
    )
    const nodes = await Promise.all([startNode(), startNode(), startNode()])
    goTo(clock, '2026-01-12T08:00:30.000Z')
    await Promise.all(nodes.map((node) => node.decide()))
    expect(await rows()).toHaveLength(1200)
    expect(new Set((await rows()).map(({ message_id }) => message_id)).size).toBe(1200)
    const left = await server.services.db.query('select from websites where report_due_at <= $1', [clock.now()])
    expect(left).toEqual([])
  })

  it('decide on nothing half: what fails is decided another time', async () => {
    reporting = await startReporting()
    const { clock, dueAt, makeWebsite, rows, server, startNode } = reporting
    const { db } = server.services
    const node = await startNode()
    const id = await makeWebsite()
    goTo(clock, '2026-01-12T08:00:00.000Z')
    await db.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`)
    await db.query('create trigger refuse before insert on weekly_reports for each row execute function refuse()')
    await node.decide()
    expect([await rows(), await dueAt(id)]).toEqual([[], '2026-01-12T08:00:00.000Z'])
    expect(server.logged.join('')).toContain('deciding on weekly reports failed, trying again later')
    await db.query('drop trigger refuse on weekly_reports')
    await node.decide()
    expect(await weeks()).toEqual(['2026-01-05'])
  })
})

describe('without a mail server', () => {
  it('nothing is decided, and the time passes by', async () => {
    reporting = await startReporting({ env: { BELFRY_SMTP_URL: '', BELFRY_MAIL_FROM: '' } })
    const { clock, dueAt, makeWebsite, startNode } = reporting
    const id = await makeWebsite()
    goTo(clock, '2026-01-12T08:00:00.000Z')
    await (await startNode()).decide()
    expect(await weeks()).toEqual([])
    expect(await dueAt(id)).toBe('2026-01-19T08:00:00.000Z')
  })
})
