import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { remind } from '../../src/alerts/reminders.ts'
import { type Outbox, startOutbox } from '../support/alerts.ts'
import { addIncident } from '../support/monitors.ts'

let outbox: Outbox
let monitor: number
let provider: number
let isBlind = false

beforeAll(async () => {
  outbox = await startOutbox()
})
afterAll(() => outbox.close())

/** Down since just now, to be said again every ten minutes. */
beforeEach(async () => {
  isBlind = false
  monitor = await outbox.makeMonitor({ remind_every: 10 })
  provider = await outbox.makeProvider()
  await assign(provider)
  const incident = await addIncident(outbox.server, monitor, { from: 0, detail: 'answered 503, expected 200-399' })
  await sql(`update incidents set remind_at = $1::timestamptz + interval '10 minutes' where id = $2`, [
    outbox.clock.now(),
    incident,
  ])
})

const sql = (text: string, values: unknown[]) => outbox.server.services.db.query(text, values)

async function assign(providerId: number, enabled = true): Promise<void> {
  await outbox.owner.session.post(`/api/monitors/${monitor}/notifications`, { provider_id: providerId, enabled })
}

async function remindAfter(minutes: number): Promise<number> {
  let woken = 0
  outbox.clock.advance({ minutes })
  const { db } = outbox.server.services
  await remind({ db, clock: outbox.clock, isBlind: () => isBlind, onAlerts: () => woken++ })
  return woken
}

const reminders = () =>
  sql('select * from alerts where monitor_id = $1 order by id', [monitor]) as Promise<Record<string, unknown>[]>

const markSent = () => sql(`update alerts set state = 'sent', next_attempt_at = null where monitor_id = $1`, [monitor])

describe('a reminder', () => {
  it('comes as often as was wanted, while it is down', async () => {
    expect(await remindAfter(9)).toBe(0)
    expect(await reminders()).toEqual([])
    expect(await remindAfter(1)).toBe(1)
    expect(await reminders()).toMatchObject([
      {
        event: 'reminder',
        occurrence: '1',
        provider_id: provider,
        state: 'waiting',
        title: 'Shop is still down',
        next_attempt_at: outbox.clock.now(),
      },
    ])
    expect((await reminders())[0]?.['body']).toMatch(
      /^https:\/\/example.com\/\nCause: answered 503.*\nDown for 10 min, since /,
    )
    await markSent()
    await remindAfter(5)
    expect(await reminders()).toHaveLength(1)
    await remindAfter(5)
    expect((await reminders()).map(({ occurrence }) => occurrence)).toEqual(['1', '2'])
  })

  it('comes once, however many nodes there are', async () => {
    outbox.clock.advance({ minutes: 10 })
    await Promise.all(Array.from({ length: 5 }, () => remindAfter(0)))
    expect(await reminders()).toHaveLength(1)
  })

  it('goes to those who are told at that moment', async () => {
    const other = await outbox.makeProvider()
    await assign(other)
    await assign(provider, false)
    await remindAfter(10)
    expect((await reminders()).map(({ provider_id }) => provider_id)).toEqual([other])
  })

  it('does not come while an earlier message has not even left', async () => {
    await remindAfter(10)
    await remindAfter(10)
    expect(await reminders()).toHaveLength(1)
  })

  it('does not come while our own network is down, but then', async () => {
    isBlind = true
    await remindAfter(30)
    expect(await reminders()).toEqual([])
    isBlind = false
    await remindAfter(0)
    expect(await reminders()).toHaveLength(1)
  })

  it('does not come once it is over', async () => {
    await outbox.owner.session.put(`/api/monitors/${monitor}`, { is_active: false })
    await remindAfter(10)
    expect(await reminders()).toEqual([])
  })

  it.each([
    [0, 60, 0],
    [5, 5, 1],
    [30, 29, 0],
    [30, 30, 1],
  ])('follows another remind_every of %i: after %i minutes there are %i', async (every, minutes, count) => {
    await outbox.owner.session.put(`/api/monitors/${monitor}`, { remind_every: every })
    await remindAfter(minutes)
    expect(await reminders()).toHaveLength(count)
  })

  it('begins when it is wanted while it is down already', async () => {
    await outbox.owner.session.put(`/api/monitors/${monitor}`, { remind_every: 0 })
    await outbox.owner.session.put(`/api/monitors/${monitor}`, { remind_every: 20 })
    await remindAfter(20)
    expect(await reminders()).toHaveLength(1)
  })
})
