/** Maintenances with real checks and messages: what is recorded, what is sent, and what counts for the uptime. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { announceHeldIncidents } from '../../src/alerts/announcements.ts'
import { createJob } from '../../src/app/jobs.ts'
import { handleDueWindows } from '../../src/maintenances/windows.ts'
import type { Database } from '../../src/storage/database.ts'
import { type AlertFixture, type AlertNode, startAlertFixture } from '../support/alerts.ts'
import { startChecker, type TestChecker } from '../support/checker.ts'
import { type HttpReceiver, startHttpReceiver } from '../support/http-receiver.ts'
import { createMonitor, getMonitor, readRows } from '../support/monitors.ts'

let fixture: AlertFixture
let checker: TestChecker
let node: AlertNode
let target: HttpReceiver
let monitorId: number

beforeAll(async () => {
  fixture = await startAlertFixture()
  target = await startHttpReceiver()
})
afterAll(async () => {
  await checker.stop()
  await fixture.close()
  await target.close()
})

/** Each test starts with a monitor that is checked every half hour, has been up since 10:00, and has the tag `shop`. */
beforeEach(async () => {
  await checker?.stop()
  fixture = await fixture.renew()
  await fixture.server.services.db.query('delete from monitors')
  checker = await startChecker(fixture.server)
  node = await fixture.startNode()
  await fixture.createChannel({ assign_by_default: true })
  target.respondWith(200, 'ok')
  monitorId = await addMonitor()
  await checker.run()
})

const addMonitor = async (fields: object = {}) =>
  (
    await createMonitor(fixture.owner.session, {
      url: target.address,
      interval: 1_800,
      retries: 0,
      tags: ['shop'],
      ...fields,
    })
  ).id

const runJob = (name: string) => createJob(name, fixture.server.services).run()
const breakTarget = () => target.respondWith(503, 'no')
const repairTarget = () => target.respondWith(200, 'ok')

/** Announces incidents that are still ongoing, and sends the messages that are due. */
async function announce(): Promise<void> {
  await runJob('announce incidents')
  await node.outbox.runOnce()
}

async function work(): Promise<void> {
  await runJob('begin and end maintenances')
  await announce()
}

/** Advances the clock in steps of half an hour. Each step starts and ends due maintenances, runs due checks and sends due messages. */
async function runUntil(time: string, { hasWorker = true } = {}): Promise<void> {
  while (fixture.clock.now().toISOString() < `2026-01-05T${time}`) {
    fixture.clock.advance({ minutes: 30 })
    if (hasWorker) await runJob('begin and end maintenances')
    await checker.run()
    if (hasWorker) await announce()
  }
}

const formatTime = (time: Date | null) => time?.toISOString().slice(11, 16) ?? ''
const at = (time: string) => `2026-01-05T${time}:00Z`

async function readMonitoredPeriods(id = monitorId): Promise<string[]> {
  const rows = (await readRows(fixture.server, 'watches', id)) as unknown as {
    started_at: Date
    ended_at: Date | null
  }[]
  return rows
    .filter(({ started_at, ended_at }) => started_at.getTime() !== ended_at?.getTime())
    .map(({ started_at, ended_at }) => `${formatTime(started_at)}–${formatTime(ended_at)}`)
    .sort()
}

async function readIncidents(id = monitorId) {
  const { data, meta } = (await fixture.owner.session.get(`/api/monitors/${id}/incidents`)).body
  return { data, uptime: meta.uptime_percent }
}

const isInMaintenance = async (id = monitorId) => (await getMonitor(fixture.owner.session, id)).in_maintenance

async function plan(fields: object): Promise<number> {
  const input = { title: 'Upgrade', tags: ['shop'], ...fields }
  const { status, body, text } = await fixture.owner.session.post('/api/maintenances', input)
  if (status !== 201) throw new Error(`maintenance not created: ${status} ${text}`)
  return body.data.id
}

/** Plans a maintenance from 11:00 to 13:00. */
const planWindow = () => plan({ starts_at: at('11:00'), ends_at: at('13:00') })

describe('an incident during a maintenance', () => {
  it('is recorded, not announced, and not part of the uptime', async () => {
    await planWindow()
    await runUntil('11:00')
    expect(await isInMaintenance()).toBe(true)
    breakTarget()
    await runUntil('11:30')
    expect((await getMonitor(fixture.owner.session, monitorId)).status).toBe('down')
    repairTarget()
    await runUntil('14:00')
    expect(await isInMaintenance()).toBe(false)
    const { data, uptime } = await readIncidents()
    expect(data).toMatchObject([
      { status: 'resolved', during_maintenance: true, started_at: '2026-01-05T11:30:00.000Z', duration_seconds: 1_800 },
    ])
    expect(uptime).toBe(100)
    expect(await readMonitoredPeriods()).toEqual(['10:00–11:00', '13:00–'])
    expect(await readRows(fixture.server, 'checks', monitorId)).toHaveLength(9)
    expect(fixture.listTitles()).toEqual([])
  })

  it('is announced once at the end if the monitor is still down, however many nodes there are', async () => {
    await planWindow()
    await runUntil('11:30')
    breakTarget()
    await runUntil('12:30')
    fixture.clock.advance({ minutes: 30 })
    await Promise.all(Array.from({ length: 5 }, () => runJob('begin and end maintenances')))
    await Promise.all(Array.from({ length: 5 }, () => runJob('announce incidents')))
    await checker.run()
    await work()
    expect(fixture.listTitles()).toEqual(['Down: Shop'])
    await runUntil('14:00')
    repairTarget()
    await runUntil('15:00')
    expect(fixture.listTitles()).toEqual(['Down: Shop', expect.stringMatching(/^Recovered.*Shop/)])
    const { data, uptime } = await readIncidents()
    expect(data).toMatchObject([{ during_maintenance: true, started_at: '2026-01-05T12:00:00.000Z' }])
    // Three hours count: one before the maintenance, and two after it. The monitor was down from 13:00 to 14:30.
    expect(uptime).toBe(50)
  })

  it('is announced when the maintenance is ended or deleted, and when the monitor loses its tag', async () => {
    const { session } = fixture.owner
    const stops: ((maintenanceId: number) => Promise<unknown>)[] = [
      (id) => session.post(`/api/maintenances/${id}/end`, {}),
      (id) => session.delete(`/api/maintenances/${id}`),
      () => session.post('/api/monitors/bulk', { ids: [monitorId], action: 'remove_tags', tags: ['shop'] }),
    ]
    for (const [index, stop] of stops.entries()) {
      const id = await plan({ duration_seconds: 3_600 })
      breakTarget()
      fixture.clock.advance({ minutes: 30 })
      await checker.run()
      await work()
      expect(fixture.listTitles().filter((title) => title === 'Down: Shop')).toHaveLength(index)
      await stop(id)
      await work()
      expect(fixture.listTitles().filter((title) => title === 'Down: Shop')).toHaveLength(index + 1)
      expect(await isInMaintenance()).toBe(false)
      repairTarget()
      fixture.clock.advance({ minutes: 30 })
      await checker.run()
    }
    expect(await readMonitoredPeriods()).toEqual(['10:30–11:00', '11:30–12:00', '12:30–'])
  })

  it('does not hide the recovery from an outage that was announced before', async () => {
    breakTarget()
    await runUntil('10:30')
    await plan({ duration_seconds: 7_200 })
    repairTarget()
    await runUntil('11:30')
    expect(await isInMaintenance()).toBe(true)
    expect(fixture.listTitles()).toEqual(['Down: Shop', expect.stringMatching(/^Recovered.*Shop/)])
    expect((await readIncidents()).data).toMatchObject([{ during_maintenance: false, status: 'resolved' }])
  })

  it('has no reminders until the maintenance is over', async () => {
    const remindedId = await addMonitor({ friendly_name: 'Reminded', remind_every: 10 })
    await checker.run()
    breakTarget()
    await runUntil('10:30')
    await plan({ ends_at: at('12:00') })
    for (const [time, count] of [
      ['11:30', 0],
      ['12:00', 1],
    ] as const) {
      await runUntil(time)
      await runJob('remind of ongoing incidents')
      const alerts = (await readRows(fixture.server, 'alerts', remindedId)) as unknown as { event: string }[]
      expect(alerts.filter(({ event }) => event === 'reminder')).toHaveLength(count)
    }
  })
})

describe('a window', () => {
  it('that overlaps another window ends with the later of the two windows', async () => {
    await plan({ starts_at: at('10:30'), ends_at: at('11:30') })
    await plan({ starts_at: at('11:00'), ends_at: at('12:30'), tags: [], monitor_ids: [monitorId] })
    await plan({ starts_at: at('12:30'), ends_at: at('13:00'), tags: [], all_monitors: true })
    await runUntil('12:30')
    expect(await isInMaintenance()).toBe(true)
    await runUntil('13:30')
    expect(await isInMaintenance()).toBe(false)
    expect(await readMonitoredPeriods()).toEqual(['10:00–10:30', '13:00–'])
  })

  it('is excluded from the uptime as planned, even if the worker starts and ends it late while checks continue', async () => {
    await planWindow()
    await runUntil('11:00', { hasWorker: false })
    breakTarget()
    await runUntil('11:30', { hasWorker: false })
    repairTarget()
    await runUntil('13:30', { hasWorker: false })
    await work()
    expect(await readMonitoredPeriods()).toEqual(['10:00–11:00', '13:00–'])
    expect((await readIncidents()).data).toMatchObject([{ during_maintenance: true }])
    expect(fixture.listTitles()).toEqual([])
    expect(await isInMaintenance()).toBe(false)
  })

  it.each([
    ['checks start first', false],
    ['maintenances start and end first', true],
  ])('that passed while the server was stopped does not count, if %s', async (_, isWorkerFirst) => {
    await plan({ starts_at: at('11:30'), ends_at: at('12:00') })
    await plan({ starts_at: at('13:00'), ends_at: at('13:30') })
    await runUntil('10:30')
    const [missedCheck] = (await readRows(fixture.server, 'monitor_states', monitorId)) as unknown as { due_at: Date }[]
    fixture.clock.advance({ minutes: 300 })
    if (isWorkerFirst) await work()
    await checker.run()
    await work()
    await runUntil('16:00')
    expect(await readMonitoredPeriods()).toEqual([`10:00–${formatTime(missedCheck?.due_at ?? null)}`, '15:30–'])
    expect(await isInMaintenance()).toBe(false)
  })

  it('that begins in the past is excluded from the uptime since its beginning', async () => {
    await runUntil('12:00')
    await plan({ starts_at: at('10:30'), ends_at: at('12:30') })
    expect(await readMonitoredPeriods()).toEqual(['10:00–10:30'])
    await runUntil('12:30')
    expect(await readMonitoredPeriods()).toEqual(['10:00–10:30', '12:30–'])
  })

  it('that recurs is excluded from the uptime each time', async () => {
    await plan({ recurrence: { cron: '0 11,13 * * *', duration_seconds: 3_600 } })
    await runUntil('14:00')
    expect(await readMonitoredPeriods()).toEqual(['10:00–11:00', '12:00–13:00', '14:00–'])
  })
})

describe('a monitor', () => {
  const update = (id: number, fields: object) => fixture.owner.session.put(`/api/monitors/${id}`, fields)

  it('that is created or gets the tag during a maintenance is in it, until it loses the tag', async () => {
    const untaggedId = await addMonitor({ tags: [] })
    await checker.run()
    await plan({ ends_at: at('12:00') })
    const createdId = await addMonitor()
    await runUntil('10:30')
    await update(untaggedId, { tags: ['SHOP'] })
    expect([await isInMaintenance(createdId), await isInMaintenance(untaggedId)]).toEqual([true, true])
    await runUntil('11:00')
    await update(createdId, { tags: [] })
    expect([await isInMaintenance(createdId), await isInMaintenance(untaggedId)]).toEqual([false, true])
    await runUntil('12:00')
    expect(await readMonitoredPeriods(untaggedId)).toEqual(['10:00–10:30', '12:00–'])
    expect(await readMonitoredPeriods(createdId)).toEqual(['11:00–'])
  })

  it('that is paused and resumed during a maintenance is monitored from the end of the maintenance', async () => {
    await plan({ ends_at: at('11:30') })
    await update(monitorId, { is_active: false })
    expect(await isInMaintenance()).toBe(true)
    await runUntil('10:30')
    await update(monitorId, { is_active: true })
    await runUntil('12:00')
    expect(await readMonitoredPeriods()).toEqual(['11:30–'])
  })

  it('that is paused when the maintenance ends is monitored once it is resumed', async () => {
    await plan({ ends_at: at('10:30') })
    await update(monitorId, { is_active: false })
    await runUntil('11:00')
    expect(await readMonitoredPeriods()).toEqual([])
    await update(monitorId, { is_active: true })
    await checker.run()
    expect(await readMonitoredPeriods()).toEqual(['11:00–'])
  })
})

describe('an outage that outlasts its maintenance is announced exactly once', () => {
  const noSignal = new AbortController().signal
  const bothTitles = ['Down: Shop', expect.stringMatching(/^Recovered.*Shop/)]

  /** The window is from 10:30 to 11:30, and the target fails from 11:00 on. The clock stands at 11:00. */
  beforeEach(async () => {
    await plan({ starts_at: at('10:30'), ends_at: at('11:30') })
    await runUntil('10:30')
    breakTarget()
    await runUntil('11:00')
    expect(fixture.listTitles()).toEqual([])
  })

  /** Returns a database that fails before or after it commits a transaction. */
  function loseDatabase(moment: 'before' | 'after'): Database {
    const { db } = fixture.server.services
    const transaction: Database['transaction'] = async (work) => {
      await db.transaction(async (q) => {
        await work(q)
        if (moment === 'before') throw new Error('lost before the commit')
      })
      throw new Error('lost after the commit')
    }
    return Object.assign(Object.create(db), {
      transaction,
      query: db.query.bind(db),
      batch: db.batch.bind(db),
    }) as Database
  }

  const endWindow = (db: Database) =>
    handleDueWindows({ db, clock: fixture.clock, onEnded: () => {} }, noSignal).catch(() => {})
  const announceWith = (db: Database) =>
    announceHeldIncidents({ db, clock: fixture.clock, isOffline: () => false, onAlerts: () => {} }).catch(() => {})

  const faults: [string, () => Promise<void>][] = [
    ['nothing goes wrong', async () => {}],
    ['the database is lost before the end of the window is stored', () => endWindow(loseDatabase('before'))],
    ['the database is lost after the end of the window was stored', () => endWindow(loseDatabase('after'))],
    ['the worker dies after it has ended the window', () => runJob('begin and end maintenances')],
    ['the database is lost before the announcement is stored', () => announceWith(loseDatabase('before'))],
    ['the database is lost after the announcement was stored', () => announceWith(loseDatabase('after'))],
    [
      'two nodes end the window and announce at the same time',
      async () => {
        const { db } = fixture.server.services
        await Promise.all([endWindow(db), endWindow(db), announceWith(db), announceWith(db), announceWith(db)])
      },
    ],
  ]

  // These tests use only every second fault. The tests below use every fault in the harder case, in which the target
  // recovers.
  it.each(faults.filter((_, n) => n % 2 === 0))('if %s, and the outage goes on', async (_, breakSomething) => {
    fixture.clock.advance({ minutes: 30 })
    await breakSomething()
    await work()
    expect(fixture.listTitles()).toEqual(['Down: Shop'])
    repairTarget()
    await runUntil('12:30')
    expect(fixture.listTitles()).toEqual(bothTitles)
  })

  it.each(faults)('if %s, and the target recovers before anything else runs', async (_, breakSomething) => {
    fixture.clock.advance({ minutes: 30 })
    await breakSomething()
    repairTarget()
    await checker.run()
    await work()
    await runUntil('12:30')
    expect(fixture.listTitles()).toEqual(bothTitles)
  })

  it('if the recovery is recorded while the outage is being announced', async () => {
    for (let n = 0; n < 10; n++) await addMonitor({ friendly_name: `other${n}` })
    await checker.run()
    fixture.clock.advance({ minutes: 30 })
    repairTarget()
    const { db } = fixture.server.services
    await Promise.all([checker.run(), announceWith(db), announceWith(db)])
    await work()
    await runUntil('12:30')
    const alerts = await db.query(
      `select i.monitor_id, array_agg(a.event order by a.id) as alerts
         from incidents i left join alerts a on a.monitor_id = i.monitor_id and a.incident_id = i.id
        group by i.user_id, i.monitor_id, i.id`,
    )
    expect(alerts).toHaveLength(11)
    for (const row of alerts) expect(row['alerts']).toEqual(['down', 'recovered'])
  })

  it('but not if it ends before the maintenance, however late the worker ends the maintenance', async () => {
    fixture.clock.advance({ minutes: 20 })
    repairTarget()
    await fixture.server.services.db.query(`update monitor_states set due_at = $1 where due_at < 'infinity'`, [
      fixture.clock.now(),
    ])
    await checker.run()
    await runUntil('12:30')
    expect(fixture.listTitles()).toEqual([])
  })
})
