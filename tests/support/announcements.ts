/** A fixture for announcements: real checks of targets that a test breaks and repairs, and the messages that follow. */
import { createJob } from '../../src/app/jobs.ts'
import { type AlertFixture, type AlertNode, startAlertFixture } from './alerts.ts'
import { startChecker, type TestChecker } from './checker.ts'
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'

export interface AnnouncementFixture {
  alerts: AlertFixture
  channelId: number
  /** Adds a monitor that is checked every minute without retries. Its target is up. */
  addMonitor(name: string, fields?: object): Promise<number>
  /** Names of the targets that are down. */
  down: Set<string>
  /** Advances the clock, checks all monitors, announces their incidents and sends due messages. */
  step(seconds?: number): Promise<void>
  /** Checks only this monitor. */
  check(monitorId: number, seconds?: number): Promise<void>
  /**
   * Runs only checks that the server has made due itself: retries, and checks that an announcement waits for. Then
   * announces incidents and sends due messages.
   */
  settle(seconds?: number): Promise<void>
  /** Announces incidents and sends due messages. Calls must not overlap, because an outbox sends one round of messages at a time. */
  announce(): Promise<void>
  /** Announces incidents without sending the messages. Calls can overlap, as on several nodes. */
  announceOnly(): Promise<void>
  /** Titles of the messages since the last call. */
  takeTitles(): string[]
  readIncidents(monitorId: number): Promise<{ id: number; status: string; parent: object | null }[]>
  /** Gives the next test a new user. */
  renew(): Promise<void>
  close(): Promise<void>
}

export async function startAnnouncementFixture(): Promise<AnnouncementFixture> {
  const target = await startHttpReceiver()
  let checker: TestChecker | undefined
  let node: AlertNode
  const runChecks = async () => {
    await checker?.run()
    await postponeChecks(fixture.alerts)
    // A result has the time at which its check ended, some milliseconds after the time of the test clock. So advance the
    // clock beyond it.
    fixture.alerts.clock.advance({ seconds: 1 })
  }
  const fixture: AnnouncementFixture = {
    alerts: await startAlertFixture(),
    channelId: 0,
    down: new Set(),
    async addMonitor(name, fields = {}) {
      const url = `${target.address}/${name}`
      return fixture.alerts.createMonitor({ friendly_name: name, url, interval: 60, retries: 0, ...fields })
    },
    async step(seconds = 0) {
      fixture.alerts.clock.advance({ seconds })
      await setDue(fixture.alerts, null)
      await runChecks()
      await fixture.announce()
    },
    async check(monitorId, seconds = 10) {
      fixture.alerts.clock.advance({ seconds })
      await setDue(fixture.alerts, monitorId)
      await runChecks()
    },
    async settle(seconds = 0) {
      fixture.alerts.clock.advance({ seconds })
      await runChecks()
      await fixture.announce()
    },
    announceOnly: () => createJob('announce incidents', fixture.alerts.server.services).run(),
    async announce() {
      await fixture.announceOnly()
      await node.outbox.runOnce()
    },
    takeTitles() {
      const titles = fixture.alerts.listTitles()
      fixture.alerts.receiver.received.length = 0
      return titles
    },
    readIncidents: async (monitorId) =>
      (await fixture.alerts.owner.session.get(`/api/monitors/${monitorId}/incidents`)).body.data,
    async renew() {
      await checker?.stop()
      fixture.alerts = await fixture.alerts.renew()
      const { server, owner } = fixture.alerts
      await server.services.db.query('delete from monitors')
      await owner.session.call('PATCH', '/api/account', { json: { group_alerts: false } })
      checker = await startChecker(server)
      node = await fixture.alerts.startNode()
      fixture.down.clear()
      fixture.channelId = await fixture.alerts.createChannel({ assign_by_default: true })
    },
    async close() {
      await checker?.stop()
      await fixture.alerts.close()
      await target.close()
    },
  }
  respondByName(target, fixture.down)
  return fixture
}

/** Makes the check of one monitor due, or the checks of all monitors. */
async function setDue({ clock, server }: AlertFixture, monitorId: number | null): Promise<void> {
  await server.services.db.query(
    `update monitor_states set due_at = $1 where due_at < 'infinity' and ($2::bigint is null or monitor_id = $2)`,
    [clock.now(), monitorId],
  )
}

/** Belfry schedules checks itself. Postponing them lets tests decide what is checked. Retries stay due. */
async function postponeChecks({ clock, server }: AlertFixture): Promise<void> {
  await server.services.db.query(
    `update monitor_states s set due_at = $1::timestamptz + interval '1 day'
       from monitors m
      where m.id = s.monitor_id and s.due_at < 'infinity' and (s.failures = 0 or m.status = 'down')`,
    [clock.now()],
  )
}

function respondByName(target: HttpReceiver, down: ReadonlySet<string>): void {
  target.handleWith((response, { path }) => response.writeHead(down.has(path.slice(1)) ? 503 : 200).end())
}
