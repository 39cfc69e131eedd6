/** A fixture for sending weekly reports: a mail server, and nodes whose jobs the test runs. */
import type { SMTPServerOptions } from 'smtp-server'
import { afterAll, beforeAll } from 'vitest'
import { stopOutboxes } from '../../src/app/create-outboxes.ts'
import { createJob } from '../../src/app/jobs.ts'
import { MessageSender } from '../../src/channels/message-sender.ts'
import type { Config, Environment } from '../../src/config/config.ts'
import { localDayAt } from '../../src/lib/local-day.ts'
import { type Claimant, Lease } from '../../src/nodes/lease.ts'
import { createReportOutbox, type ReportOutbox } from '../../src/reports/outbox.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'
import { TestClock } from './clock.ts'
import { startTestServer, type TestServer, type TestUser } from './server.ts'
import { type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts'

export interface ReportNode {
  lease: Lease
  claimant: Claimant
  outbox: ReportOutbox
  stop(): Promise<void>
  /** Runs the job that adds reports to the outbox. */
  schedule(): Promise<void>
  /** Schedules reports and sends those that are due. */
  run(): Promise<void>
  /** Deletes the node's lease, so that other nodes treat it as killed. Its claims stay. */
  expire(): Promise<void>
}

export interface ReportRow {
  website_id: number
  week: string
  state: string
  attempts: number
  next_attempt_at: Date | null
  claimed_by: number | null
  message_id: string
  answer: string | null
  created_at: Date
}

export interface ReportFixture {
  server: TestServer
  clock: TestClock
  owner: TestUser
  mail: SmtpReceiver
  /** Turns on weekly reports by default. Returns the id of the website. */
  createWebsite(fields?: object, owner?: TestUser): Promise<number>
  readReports(): Promise<ReportRow[]>
  getDueAt(websiteId: number): Promise<string | null>
  /** `config` replaces settings of the server. */
  startNode(config?: Partial<Config>): Promise<ReportNode>
  stopNodes(): Promise<void>
  listSubjects(): string[]
  close(): Promise<void>
}

export const BASE_URL = 'https://stats.example.org'

/** A Wednesday. */
const START_TIME = '2026-01-07T10:00:00.000Z'

export async function startReportFixture(
  options: { env?: Environment; smtp?: SMTPServerOptions; start?: string } = {},
): Promise<ReportFixture> {
  const mail = await startSmtpReceiver({ disabledCommands: ['AUTH', 'STARTTLS'], ...options.smtp })
  const clock = new TestClock(new Date(options.start ?? START_TIME))
  const server = await startTestServer({
    clock,
    env: {
      BELFRY_URL: BASE_URL,
      BELFRY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      BELFRY_MAIL_FROM: 'Belfry <belfry@example.org>',
      ...options.env,
    },
  })
  const { db } = server.services
  const owner = await server.createUser('owner')
  const nodes: ReportNode[] = []
  const stopNodes = async () => {
    for (const { stop, lease } of nodes.splice(0)) {
      await stop()
      await lease.stop()
    }
  }
  return {
    server,
    clock,
    owner,
    mail,
    async createWebsite(fields = {}, websiteOwner = owner) {
      const website = { domain: 'example.com', email: 1, ...fields }
      const { status, text, body } = await websiteOwner.session.post('/api/v1/websites', website)
      if (status !== 201) throw new Error(`The website was not created: ${status} ${text}`)
      return body.data.id
    },
    readReports: () =>
      db.query<ReportRow & Record<string, unknown>>(
        'select *, week::text from weekly_reports order by website_id, weekly_reports.week',
      ),
    async getDueAt(websiteId) {
      const [row] = await db.query<{ at: Date | null }>('select report_due_at as at from websites where id = $1', [
        websiteId,
      ])
      return row?.at?.toISOString() ?? null
    },
    async startNode(config) {
      const node = await startReportNode(server, config)
      nodes.push(node)
      return node
    },
    listSubjects: () => mail.received.map((received) => received.mail.subject ?? ''),
    stopNodes,
    async close() {
      await stopNodes()
      await server.close()
      await mail.close()
    },
  }
}

/**
 * Shares one fixture between the tests of a file, because starting a server takes longer than most of these tests. The
 * returned function sets the clock, and deletes everything that earlier tests have created.
 */
export function useSharedReportFixture(): (options?: {
  start?: string
  smtp?: Parameters<SmtpReceiver['setHandlers']>[0]
}) => Promise<ReportFixture> {
  let fixture: ReportFixture
  beforeAll(async () => {
    fixture = await startReportFixture()
  })
  afterAll(() => fixture.close())
  return async ({ start = START_TIME, smtp = {} } = {}) => {
    const { clock, mail, server, stopNodes } = fixture
    await stopNodes()
    await server.services.db.query('delete from users')
    moveClockTo(clock, start)
    mail.received.length = 0
    mail.setHandlers(smtp)
    server.logLines.length = 0
    const owner = await server.createUser('owner')
    return {
      ...fixture,
      owner,
      createWebsite: (fields, websiteOwner = owner) => fixture.createWebsite(fields, websiteOwner),
    }
  }
}

async function startReportNode(server: TestServer, changedConfig: Partial<Config> = {}): Promise<ReportNode> {
  const config = { ...server.services.config, ...changedConfig }
  const services = { ...server.services, config }
  const { db, log } = services
  const lease = new Lease({ db, log })
  const claimant = lease.createClaimant()
  await lease.start()
  const messageSender = new MessageSender(config)
  const outbox = createReportOutbox({ ...services, messageSender, claimant, onReady: () => {} })
  const scheduleJob = createJob('schedule weekly reports', services)
  return {
    lease,
    claimant,
    outbox,
    stop: () => stopOutboxes({ reportOutbox: outbox, messageSender }, { deliveryGraceMs: 1_000 }),
    schedule: () => scheduleJob.run(),
    run: async () => {
      await scheduleJob.run()
      await outbox.runOnce()
    },
    expire: async () => {
      await db.query('delete from nodes where id = $1', [claimant.id])
    },
  }
}

export function moveClockTo(clock: TestClock, time: string): void {
  clock.advance({ seconds: (Date.parse(time) - clock.now().getTime()) / 1000 })
}

const MONDAY = '2026-01-12T08:00:00.000Z'

/** Adds a website and moves the clock to the Monday on which its report is due. */
export async function addDueReport(
  fixture: ReportFixture,
  config?: Partial<Config>,
): Promise<{ node: ReportNode; websiteId: number }> {
  const node = await fixture.startNode(config)
  const websiteId = await fixture.createWebsite()
  moveClockTo(fixture.clock, MONDAY)
  return { node, websiteId }
}

interface PageView {
  /** Time in UTC. */
  at: string
  page?: string
  visitor?: number
  source?: string
}

export async function addViews(
  { services: { db } }: TestServer,
  { id, timeZone = 'UTC' }: { id: number; timeZone?: string },
  views: readonly PageView[],
): Promise<void> {
  const events = views.map(({ at, page = '/', visitor = 1, source = 'Direct' }): TrafficEvent => {
    const time = Date.parse(at)
    const { day, startsAt } = localDayAt(timeZone, time)
    const hour = Math.floor((time - startsAt) / 3_600_000)
    return { websiteId: id, kind: 'view', at: time, day, hour, visitor, page, source }
  })
  await insertBatch(db, events)
}
