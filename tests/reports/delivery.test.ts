/** Weekly reports are retried until the mail server accepts them. */
import { describe, expect, it, vi } from 'vitest'
import type { Environment } from '../../src/config/config.ts'
import { findFreePort } from '../support/free-port.ts'
import { addDueReport, type ReportFixture, type ReportNode, useSharedReportFixture } from '../support/reports.ts'
import { startTestServer } from '../support/server.ts'
import { startSmtpReceiver } from '../support/smtp-receiver.ts'

let fixture: ReportFixture
let node: ReportNode
let websiteId: number
const resetFixture = useSharedReportFixture()

async function start(options?: Parameters<typeof resetFixture>[0]): Promise<void> {
  fixture = await resetFixture(options)
  ;({ node, websiteId } = await addDueReport(fixture))
}

/** Starts a node whose mail server is unavailable. Returns the port of the mail server. */
async function startWithoutMailServer(): Promise<number> {
  const port = await findFreePort()
  fixture = await resetFixture()
  const mail = { url: `smtp://127.0.0.1:${port}`, from: 'Belfry <belfry@example.org>' }
  ;({ node, websiteId } = await addDueReport(fixture, { mail }))
  return port
}

const readReport = async () => (await fixture.readReports())[0]
const listMessageIds = () => fixture.mail.received.map(({ mail }) => mail.messageId)

describe('a report', () => {
  it('arrives once at the address of the owner, and the response is stored', async () => {
    await start()
    await node.run()
    await node.run()
    const [receivedMail] = fixture.mail.received
    expect(fixture.mail.received).toHaveLength(1)
    expect(receivedMail?.to).toEqual(['owner@example.com'])
    expect(receivedMail?.mail.from).toMatchObject({ name: 'Belfry', address: 'belfry@example.org' })
    const storedReport = await readReport()
    expect(storedReport).toMatchObject({
      website_id: websiteId,
      week: '2026-01-05',
      state: 'sent',
      attempts: 1,
      answer: '250 queued as 12345',
      next_attempt_at: null,
      claimed_by: null,
    })
    expect(receivedMail?.mail.messageId).toBe(`<${storedReport?.message_id}@example.org>`)
    expect(receivedMail?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  })

  it('goes to the owners of the team if the account of its creator was deleted', async () => {
    await start()
    const { owner, server } = fixture
    const { id } = await server.createUser(`grace-${websiteId}`)
    const { db } = server.services
    await db.query(`insert into team_members (team_id, user_id, role, joined_at) values ($1, $2, 'owner', now())`, [
      owner.id,
      id,
    ])
    await db.query(`update team_members set role = 'viewer' where team_id = $1 and user_id = $1`, [owner.id])
    await db.query('update websites set created_by = null where id = $1', [websiteId])
    await node.run()
    expect(fixture.mail.received.map(({ to }) => to)).toEqual([[`grace-${websiteId}@example.com`]])
    await db.query(`update team_members set role = 'owner' where team_id = $1 and user_id = $1`, [owner.id])
    await db.query('delete from team_members where team_id = $1 and user_id = $2', [owner.id, id])
  })

  it('is sent every week', async () => {
    await start()
    for (let week = 0; week < 3; week++) {
      await node.run()
      fixture.clock.advance({ days: 7 })
    }
    expect(fixture.mail.received.map(({ mail }) => mail.text?.split('\n')[1])).toEqual([
      '5–11 January 2026',
      '12–18 January 2026',
      '19–25 January 2026',
    ])
    expect(new Set(listMessageIds()).size).toBe(3)
  })

  /** Starts a server with the jobs of a worker on the same database. They run at the start and then only once a minute. */
  function startWorker(env: Environment = {}) {
    const { clock, server } = fixture
    return startTestServer({ clock, database: server.database, env: { BELFRY_ROLES: 'web,worker', ...env } })
  }

  it('is sent by the jobs of a worker', async () => {
    await start()
    const worker = await startWorker({
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${fixture.mail.port}`,
      BELFRY_MAIL_FROM: 'Belfry <belfry@example.org>',
    })
    await vi.waitFor(() => expect(fixture.listSubjects()).toHaveLength(1), 10_000)
    await worker.close()
  })

  it('is not sent without a mail server, and the server logs a warning at start', async () => {
    fixture = await resetFixture()
    const workerBeforeWebsite = await startWorker()
    await workerBeforeWebsite.close()
    await addDueReport(fixture)
    expect(workerBeforeWebsite.logLines.join('')).not.toContain('weekly reports are not sent')
    const worker = await startWorker()
    await vi.waitFor(
      () => expect(worker.logLines.join('')).toContain('weekly reports are not sent: no mail server'),
      20_000,
    )
    await worker.close()
  })
})

describe('a report that is no longer wanted', () => {
  it('because reports were turned off is not sent', async () => {
    await start()
    await node.schedule()
    await fixture.owner.session.put(`/api/v1/websites/${websiteId}`, { email: 0 })
    await node.outbox.runOnce()
    expect(fixture.mail.received).toEqual([])
    expect(await readReport()).toMatchObject({
      state: 'failed',
      answer: 'Weekly reports were turned off before this one was sent.',
      attempts: 0,
    })
  })

  it('because its website was deleted is not sent', async () => {
    await start()
    await node.schedule()
    await fixture.owner.session.delete(`/api/v1/websites/${websiteId}`)
    await node.outbox.runOnce()
    expect(fixture.mail.received).toEqual([])
    expect(await fixture.readReports()).toEqual([])
  })
})

describe('a mail server that is unavailable', () => {
  it('gets the report when it is available again, after growing delays', async () => {
    const port = await startWithoutMailServer()
    const { clock } = fixture
    const delays: number[] = []
    for (let n = 0; n < 7; n++) {
      await node.run()
      const report = await readReport()
      expect(report).toMatchObject({ state: 'waiting', attempts: n + 1, claimed_by: null })
      expect(report?.answer).toBe('The mail server could not be reached: connection refused.')
      const delay = (report?.next_attempt_at?.getTime() ?? 0) - clock.now().getTime()
      delays.push(delay / 1000)
      clock.advance({ seconds: delay / 1000 - 1 })
      await node.run()
      expect((await readReport())?.attempts).toBe(n + 1)
      clock.advance({ seconds: 1 })
    }
    expect(delays).toEqual([5, 15, 45, 120, 300, 900, 900])
    const restartedReceiver = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] }, port)
    await node.run()
    expect(restartedReceiver.received).toHaveLength(1)
    expect(await readReport()).toMatchObject({ state: 'sent', attempts: 8 })
    await restartedReceiver.close()
  })

  it('for two days never gets the report', async () => {
    await startWithoutMailServer()
    const { clock } = fixture
    await node.run()
    clock.advance({ seconds: 2 * 86_400 - 1 })
    await node.run()
    expect((await readReport())?.state).toBe('waiting')
    clock.advance({ minutes: 15 })
    await node.run()
    expect(await readReport()).toMatchObject({
      state: 'failed',
      attempts: 3,
      next_attempt_at: null,
      answer: 'The mail server could not be reached: connection refused.',
    })
    expect(fixture.server.logLines.join('')).toContain('gave up sending a weekly report')
  })

  it('is not contacted for each of many reports', async () => {
    await startWithoutMailServer()
    for (let n = 0; n < 30; n++) await fixture.createWebsite({ domain: `site-${n}.example.com` })
    fixture.clock.advance({ days: 7 })
    await node.run()
    const attemptedReports = (await fixture.readReports()).filter(({ attempts }) => attempts > 0)
    expect(attemptedReports.length).toBeLessThan(10)
    expect(
      (await fixture.readReports()).every(({ claimed_by, state }) => claimed_by === null && state === 'waiting'),
    ).toBe(true)
  })
})

describe('a response of the mail server', () => {
  const rejectRecipient = (responseCode: number, reason: string, to = 'owner@example.com') => ({
    onRcptTo: ({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) =>
      address === to ? done(Object.assign(new Error(reason), { responseCode })) : done(),
  })

  it('that the recipient does not exist ends the delivery, without affecting other recipients', async () => {
    await start({ smtp: rejectRecipient(550, 'no such user') as never })
    await fixture.createWebsite({ domain: 'other.example.com' }, await fixture.server.createUser('other'))
    fixture.clock.advance({ days: 7 })
    await node.run()
    expect(fixture.mail.received.map(({ to }) => to)).toEqual([['other@example.com']])
    fixture.clock.advance({ hours: 1 })
    await node.run()
    expect(await readReport()).toMatchObject({
      state: 'failed',
      attempts: 1,
      answer: 'The mail server responded: 550 no such user.',
    })
  })

  it('that it is busy delays the report', async () => {
    await start({ smtp: rejectRecipient(450, 'busy') as never })
    await node.run()
    expect(await readReport()).toMatchObject({
      state: 'waiting',
      attempts: 1,
      answer: 'The mail server responded: 450 busy.',
    })
  })
})
