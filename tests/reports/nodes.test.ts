/** Nodes share the weekly reports, and normally send each of them once. */
import type { SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import { describe, expect, it, vi } from 'vitest'
import { addDueReport, type ReportFixture, type ReportNode, useSharedReportFixture } from '../support/reports.ts'

let fixture: ReportFixture
let node: ReportNode
const resetFixture = useSharedReportFixture()

async function start(options?: Parameters<typeof resetFixture>[0]): Promise<void> {
  fixture = await resetFixture(options)
  ;({ node } = await addDueReport(fixture))
}

const readReport = async () => (await fixture.readReports())[0]

/**
 * Makes the mail server hold back responses. The test sends a held response by calling it. After `stopHolding`, the
 * mail server responds immediately.
 */
function holdResponses() {
  const heldResponses: (() => void)[] = []
  const messageIds: string[] = []
  let isHolding = true
  const onData = (stream: SMTPServerDataStream, _session: SMTPServerSession, done: (error?: Error | null) => void) => {
    let raw = ''
    stream.setEncoding('utf8').on('data', (text) => (raw += text))
    stream.on('end', () => {
      messageIds.push(/^Message-ID: (.*)\r$/im.exec(raw)?.[1] ?? '')
      if (isHolding) heldResponses.push(() => done())
      else done()
    })
  }
  return { heldResponses, messageIds, onData, stopHolding: () => (isHolding = false) }
}

describe('nodes', () => {
  it('share the work and send no report twice', async () => {
    await start()
    for (let n = 0; n < 40; n++) await fixture.createWebsite({ domain: `site-${n}.example.com` })
    fixture.clock.advance({ days: 7 })
    const nodes = [node, await fixture.startNode(), await fixture.startNode()]
    await Promise.all(nodes.map((one) => one.run()))
    await Promise.all(nodes.map((one) => one.run()))
    expect(fixture.mail.received).toHaveLength(41)
    expect(new Set(fixture.listSubjects()).size).toBe(41)
  })

  it('take over from a node that died before it stored the result, with the same message id', async () => {
    const { heldResponses, stopHolding, messageIds, onData } = holdResponses()
    await start({ smtp: { onData } })
    const secondNode = await fixture.startNode()
    const interruptedRun = node.run()
    await vi.waitFor(() => expect(heldResponses).toHaveLength(1), 5_000)
    await secondNode.run()
    expect(messageIds).toHaveLength(1)

    await node.expire()
    stopHolding()
    await secondNode.run()
    expect(messageIds).toHaveLength(2)
    expect(new Set(messageIds).size).toBe(1)
    expect(await readReport()).toMatchObject({ state: 'sent', attempts: 1 })

    // The first node was still alive. Its late result changes nothing.
    heldResponses[0]?.()
    await interruptedRun
    expect(await readReport()).toMatchObject({ state: 'sent', attempts: 1 })
  })

  it('accept the result of a node whose lease had expired, if its email was sent', async () => {
    const { heldResponses, stopHolding, messageIds, onData } = holdResponses()
    await start({ smtp: { onData } })
    const pendingRun = node.run()
    await vi.waitFor(() => expect(heldResponses).toHaveLength(1), 5_000)
    await node.expire()
    heldResponses[0]?.()
    await pendingRun
    stopHolding()
    await (await fixture.startNode()).run()
    expect(messageIds).toHaveLength(1)
    expect((await readReport())?.state).toBe('sent')
  })

  it('send nothing without a valid lease', async () => {
    await start()
    await node.lease.stop()
    await node.run()
    expect(fixture.mail.received).toEqual([])
  })

  it('release reports that they could not send when they stop, without counting an attempt', async () => {
    const { heldResponses, onData } = holdResponses()
    await start({ smtp: { onData } })
    void node.run()
    await vi.waitFor(() => expect(heldResponses).toHaveLength(1), 5_000)
    await node.stop()
    expect(await readReport()).toMatchObject({ state: 'waiting', attempts: 0, claimed_by: null })
  })

  it('release claims that they do not know of because a database response was lost', async () => {
    await start()
    await node.schedule()
    await fixture.server.services.db.query('update weekly_reports set claimed_by = $1', [node.claimant.id])
    await node.run()
    expect(fixture.mail.received).toHaveLength(1)
  })
})

describe('while the database is unavailable', () => {
  it('the result of an email is kept until it can be stored, and the email is not sent again', async () => {
    const { heldResponses, onData, messageIds } = holdResponses()
    await start({ smtp: { onData } })
    const { db } = fixture.server.services
    const pendingRun = node.run()
    await vi.waitFor(() => expect(heldResponses).toHaveLength(1), 5_000)
    await db.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`)
    await db.query('create trigger refuse before update on weekly_reports for each statement execute function refuse()')
    heldResponses[0]?.()
    await vi.waitFor(
      () =>
        expect(fixture.server.logLines.join('')).toContain(
          'could not store the result of sending a weekly report, retrying',
        ),
      20_000,
    )
    await db.query('drop trigger refuse on weekly_reports')
    await pendingRun
    await node.run()
    expect(messageIds).toHaveLength(1)
    expect(await readReport()).toMatchObject({ state: 'sent', attempts: 1 })
  })
})
