/** From the decision to the mailbox: until it is taken, and normally once. */
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { goTo, type Reporting, type ReportNode, startReporting } from '../support/reports.ts'
import { startSmtpReceiver } from '../support/smtp-receiver.ts'

let reporting: Reporting
let node: ReportNode
let id: number
afterEach(() => reporting.close())

const MONDAY = '2026-01-12T08:00:00.000Z'

/** It is Monday, and a website wants its report. */
async function start(options: Parameters<typeof startReporting>[0] = {}): Promise<void> {
  reporting = await startReporting(options)
  node = await reporting.startNode()
  id = await reporting.makeWebsite()
  goTo(reporting.clock, MONDAY)
}

const row = async () => (await reporting.rows())[0]
const ids = () => reporting.mail.received.map(({ mail }) => mail.messageId)

/** A mail server that keeps its answers back until it is told to give them. */
function holdAnswers() {
  const held: (() => void)[] = []
  const messageIds: string[] = []
  let isHolding = true
  const onData = (stream: SMTPServerDataStream, _session: SMTPServerSession, done: (error?: Error | null) => void) => {
    let raw = ''
    stream.setEncoding('utf8').on('data', (text) => (raw += text))
    stream.on('end', () => {
      messageIds.push(/^Message-ID: (.*)\r$/im.exec(raw)?.[1] ?? '')
      if (isHolding) held.push(() => done())
      else done()
    })
  }
  return { held, messageIds, onData, letGo: () => (isHolding = false) }
}

describe('a report', () => {
  it('arrives once, at its owner’s address, and what came back is kept', async () => {
    await start()
    await node.run()
    await node.run()
    const [received] = reporting.mail.received
    expect(reporting.mail.received).toHaveLength(1)
    expect(received?.to).toEqual(['owner@example.com'])
    expect(received?.mail.from).toMatchObject({ name: 'Belfry', address: 'belfry@example.org' })
    const kept = await row()
    expect(kept).toMatchObject({
      website_id: id,
      week: '2026-01-05',
      state: 'sent',
      attempts: 1,
      answer: '250 queued as 12345',
      next_attempt_at: null,
      claimed_by: null,
    })
    expect(received?.mail.messageId).toBe(`<${kept?.message_id}@example.org>`)
    expect(received?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  })

  it('comes every week', async () => {
    await start()
    for (let week = 0; week < 3; week++) {
      await node.run()
      reporting.clock.advance({ days: 7 })
    }
    expect(reporting.mail.received.map(({ mail }) => mail.text?.split('\n')[1])).toEqual([
      '5–11 January 2026',
      '12–18 January 2026',
      '19–25 January 2026',
    ])
    expect(new Set(ids()).size).toBe(3)
  })

  it('leaves by itself where a worker runs, and waits for nothing but the hour', async () => {
    await start({ env: { BELFRY_ROLES: 'web,worker' } })
    // The worker of this server looks once a minute; a start looks at once.
    await reporting.server.stop()
    const again = await startReportingServer()
    await vi.waitFor(() => expect(reporting.subjects()).toHaveLength(1), 10_000)
    await again.stop()
  })

  async function startReportingServer() {
    const { startServer } = await import('../../src/app/server.ts')
    const { clock, server } = reporting
    const { config, log } = server.services
    return startServer(config, { log, clock, place: server.database.place })
  }

  it('says at the start that it waits for a mail server', async () => {
    await start({ env: { BELFRY_SMTP_URL: '', BELFRY_MAIL_FROM: '', BELFRY_ROLES: 'web,worker' } })
    expect(reporting.server.logged.join('')).not.toContain('wait for a mail server')
    await reporting.server.stop()
    const again = await startReportingServer()
    await vi.waitFor(() => expect(reporting.server.logged.join('')).toContain('weekly reports wait for a mail server'))
    await again.stop()
  })
})

describe('a report that nobody wants any more', () => {
  it('because it was switched off is not sent', async () => {
    await start()
    await node.decide()
    await reporting.owner.session.put(`/api/v1/websites/${id}`, { email: 0 })
    await node.delivery.run()
    expect(reporting.mail.received).toEqual([])
    expect(await row()).toMatchObject({
      state: 'failed',
      answer: 'It was switched off before it was sent.',
      attempts: 0,
    })
  })

  it('because its website is gone is not sent', async () => {
    await start()
    await node.decide()
    await reporting.owner.session.delete(`/api/v1/websites/${id}`)
    await node.delivery.run()
    expect(reporting.mail.received).toEqual([])
    expect(await reporting.rows()).toEqual([])
  })
})

describe('a mail server that is away', () => {
  it('gets the report when it is back, after pauses that grow', async () => {
    await start()
    const { clock, mail } = reporting
    await mail.close()
    const pauses: number[] = []
    for (let n = 0; n < 7; n++) {
      await node.run()
      const waiting = await row()
      expect(waiting).toMatchObject({ state: 'waiting', attempts: n + 1, claimed_by: null })
      expect(waiting?.answer).toBe('The mail server was not reached: connection refused.')
      const pause = (waiting?.next_attempt_at?.getTime() ?? 0) - clock.now().getTime()
      pauses.push(pause / 1000)
      clock.advance({ seconds: pause / 1000 - 1 })
      await node.run()
      expect((await row())?.attempts).toBe(n + 1)
      clock.advance({ seconds: 1 })
    }
    expect(pauses).toEqual([5, 15, 45, 120, 300, 900, 900])
    const back = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'] }, mail.port)
    await node.run()
    expect(back.received).toHaveLength(1)
    expect(await row()).toMatchObject({ state: 'sent', attempts: 8 })
    await back.close()
  })

  it('for two days gets it no more', async () => {
    await start()
    const { clock, mail } = reporting
    await mail.close()
    await node.run()
    clock.advance({ seconds: 2 * 86_400 - 1 })
    await node.run()
    expect((await row())?.state).toBe('waiting')
    clock.advance({ minutes: 15 })
    await node.run()
    expect(await row()).toMatchObject({
      state: 'failed',
      attempts: 3,
      next_attempt_at: null,
      answer: 'The mail server was not reached: connection refused.',
    })
    expect(reporting.server.logged.join('')).toContain('a weekly report was given up')
  })

  it('is not asked for each of many reports', async () => {
    await start()
    for (let n = 0; n < 30; n++) await reporting.makeWebsite({ domain: `site-${n}.example.com` })
    reporting.clock.advance({ days: 7 })
    await reporting.mail.close()
    await node.run()
    const tried = (await reporting.rows()).filter(({ attempts }) => attempts > 0)
    expect(tried.length).toBeLessThan(10)
    expect((await reporting.rows()).every(({ claimed_by, state }) => claimed_by === null && state === 'waiting')).toBe(
      true,
    )
  })
})

describe('a mail server that answers', () => {
  const refusing = (responseCode: number, words: string, to = 'owner@example.com') => ({
    onRcptTo: ({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) =>
      address === to ? done(Object.assign(new Error(words), { responseCode })) : done(),
  })

  it('that there is no such person is believed, and others get theirs', async () => {
    await start({ smtp: refusing(550, 'no such user') as never })
    await reporting.makeWebsite({ domain: 'other.example.com' }, await reporting.server.person('other'))
    reporting.clock.advance({ days: 7 })
    await node.run()
    expect(reporting.mail.received.map(({ to }) => to)).toEqual([['other@example.com']])
    reporting.clock.advance({ hours: 1 })
    await node.run()
    expect(await row()).toMatchObject({
      state: 'failed',
      attempts: 1,
      answer: 'The mail server answered: 550 no such user.',
    })
  })

  it('later is asked later', async () => {
    await start({ smtp: refusing(450, 'busy') as never })
    await node.run()
    expect(await row()).toMatchObject({ state: 'waiting', attempts: 1, answer: 'The mail server answered: 450 busy.' })
  })
})

describe('nodes', () => {
  it('share the work and send nothing twice', async () => {
    await start()
    for (let n = 0; n < 40; n++) await reporting.makeWebsite({ domain: `site-${n}.example.com` })
    reporting.clock.advance({ days: 7 })
    const nodes = [node, await reporting.startNode(), await reporting.startNode()]
    await Promise.all(nodes.map((one) => one.run()))
    await Promise.all(nodes.map((one) => one.run()))
    expect(reporting.mail.received).toHaveLength(41)
    expect(new Set(reporting.subjects()).size).toBe(41)
  })

  it('take over from one that died before its answer was written, with the same message id', async () => {
    const { held, letGo, messageIds, onData } = holdAnswers()
    await start({ smtp: { onData } })
    const second = await reporting.startNode()
    const interrupted = node.run()
    await vi.waitFor(() => expect(held).toHaveLength(1), 5_000)
    await second.run()
    expect(messageIds).toHaveLength(1)

    await node.vanish()
    letGo()
    await second.run()
    expect(messageIds).toHaveLength(2)
    expect(new Set(messageIds).size).toBe(1)
    expect(await row()).toMatchObject({ state: 'sent', attempts: 1 })

    // The first was not dead after all; what it has to say changes nothing.
    held[0]?.()
    await interrupted
    expect(await row()).toMatchObject({ state: 'sent', attempts: 1 })
  })

  it('believe one that was taken for dead when its letter was taken', async () => {
    const { held, letGo, messageIds, onData } = holdAnswers()
    await start({ smtp: { onData } })
    const sending = node.run()
    await vi.waitFor(() => expect(held).toHaveLength(1), 5_000)
    await node.vanish()
    held[0]?.()
    await sending
    letGo()
    await (await reporting.startNode()).run()
    expect(messageIds).toHaveLength(1)
    expect((await row())?.state).toBe('sent')
  })

  it('send nothing without a lease', async () => {
    await start()
    await node.lease.stop()
    await node.run()
    expect(reporting.mail.received).toEqual([])
  })

  it('give back what they could not send when they stop, without counting it', async () => {
    const { held, onData } = holdAnswers()
    await start({ smtp: { onData } })
    void node.run()
    await vi.waitFor(() => expect(held).toHaveLength(1), 5_000)
    await node.delivery.stop()
    expect(await row()).toMatchObject({ state: 'waiting', attempts: 0, claimed_by: null })
  })

  it('find again what they hold without knowing, because an answer of the database was lost', async () => {
    await start()
    await node.decide()
    await reporting.server.services.db.query('update weekly_reports set claimed_by = $1', [node.lease.id])
    await node.run()
    expect(reporting.mail.received).toHaveLength(1)
  })
})

describe('while the database is away', () => {
  it('what became of a letter is kept until it can be written, and it is not sent again', async () => {
    const { held, onData, messageIds } = holdAnswers()
    await start({ smtp: { onData } })
    const { db } = reporting.server.services
    const turn = node.run()
    await vi.waitFor(() => expect(held).toHaveLength(1), 5_000)
    await db.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`)
    await db.query('create trigger refuse before update on weekly_reports for each statement execute function refuse()')
    held[0]?.()
    await vi.waitFor(() => expect(reporting.server.logged.join('')).toContain('cannot be written, trying again'))
    await db.query('drop trigger refuse on weekly_reports')
    await turn
    await node.run()
    expect(messageIds).toHaveLength(1)
    expect(await row()).toMatchObject({ state: 'sent', attempts: 1 })
  })
})
