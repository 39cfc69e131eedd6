/**
 * Tests the rules for combining alerts about several monitors within a minute. The clock moves only when a test moves
 * it.
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { AlertOutbox } from '../../src/alerts/outbox.ts'
import { type AlertFixture, type AlertNode, createAlertFixtures, type NewAlert } from '../support/alerts.ts'
import { addIncident } from '../support/monitors.ts'
import { type DownMonitor, insertAlerts, insertDownMonitors } from './storm-support.ts'

const fixtures = createAlertFixtures()
afterAll(() => fixtures.close())

let fixture: AlertFixture
let node: AlertNode
let outbox: AlertOutbox
let channelId: number

beforeEach(async () => {
  fixture = await fixtures.start()
  node = await fixture.startNode()
  outbox = node.outbox
  channelId = await fixture.createChannel()
})

const query = (text: string) => fixture.server.services.db.query(text)
const addMonitors = (count: number) => insertDownMonitors(fixture, count)
const addAlerts = (monitors: readonly DownMonitor[], event?: 'down' | 'recovered', alert?: NewAlert) =>
  insertAlerts(fixture, { channelId, monitors, event, alert })

async function runAfter(seconds: number): Promise<void> {
  fixture.clock.advance({ seconds })
  await outbox.runOnce()
}

const listTexts = () => fixture.receiver.received.map(({ body }) => JSON.parse(body).text as string)
const listMessageIds = () => fixture.receiver.received.map(({ headers }) => headers['x-belfry-message-id'])

describe('a storm', () => {
  it('starts with a message immediately, and continues with a summary after 30 s', async () => {
    const monitors = await addMonitors(4)
    await addAlerts(monitors)
    await outbox.runOnce()
    expect(fixture.listTitles()).toEqual([`Down: m${monitors[0]?.id}`])
    await runAfter(29)
    expect(fixture.listTitles()).toHaveLength(1)
    await runAfter(1)
    expect(listTexts()[1]).toBe('🔴 Down: 3 monitors\nm2.: Status 503\nm3.: Status 503\nm4.: Status 503')
    await runAfter(60)
    expect(fixture.listTitles()).toHaveLength(2)
  })

  it('has a summary every 30 s while it grows, and ends after a minute', async () => {
    const monitors = await addMonitors(8)
    await addAlerts(monitors.slice(0, 1))
    await outbox.runOnce()
    await addAlerts(monitors.slice(1, 3))
    await runAfter(30)
    await addAlerts(monitors.slice(3, 6))
    await runAfter(29)
    await runAfter(1)
    expect(fixture.listTitles().slice(1)).toEqual(['Down: 2 monitors', 'Down: 3 monitors'])
    await addAlerts(monitors.slice(6, 7))
    await runAfter(30)
    // If only one alert is waiting, it is sent as a usual message, not as a summary.
    expect(fixture.listTitles().slice(3)).toEqual([`Down: m${monitors[6]?.id}`])
    fixture.clock.advance({ seconds: 60 })
    await addAlerts(monitors.slice(7))
    await outbox.runOnce()
    expect(fixture.listTitles().slice(4)).toEqual([`Down: m${monitors[7]?.id}`])
  })

  it('of 300 monitors needs at most five messages about outages and five about recoveries, which name each incident once', async () => {
    const monitors = await addMonitors(300)
    const rounds = Array.from({ length: 10 }, (_, n) => monitors.slice(n * 30, n * 30 + 30))
    for (const event of ['down', 'recovered'] as const) {
      fixture.receiver.received.length = 0
      await outbox.runOnce()
      for (const round of rounds) {
        await addAlerts(round, event)
        await runAfter(1)
      }
      for (let n = 0; n < 6; n++) await runAfter(10)
      const texts = listTexts()
      expect(texts.length).toBeLessThanOrEqual(5)
      const namesInSummaries = texts.flatMap((text) => text.match(/m\d+\.(?=:)/g) ?? [])
      // The first alert is sent as a message of its own. The summaries name the other 299 monitors.
      expect(namesInSummaries).toHaveLength(299)
      expect(new Set(namesInSummaries).size).toBe(299)
      const [unnamedMonitor] = monitors.filter((_, n) => !namesInSummaries.includes(`m${n + 1}.`))
      expect(texts[0]).toContain(`m${unnamedMonitor?.id}`)
      fixture.clock.advance({ minutes: 2 })
    }
    expect(await query(`select from alerts where state <> 'sent' or attempts <> 1`)).toEqual([])
  })

  it('has summaries of at most four messages, even if a channel has no room for all names', async () => {
    channelId = await fixture.createChannel({ provider_type: 'discord' })
    await addAlerts(await addMonitors(401))
    await outbox.runOnce()
    await runAfter(30)
    const embeds = fixture.receiver.received.slice(1).map(({ body }) => JSON.parse(body).embeds[0])
    expect(embeds.map(({ title }) => title)).toEqual(Array(4).fill('🔴 Down\\: 100 monitors'))
    for (const { description } of embeds) expect(description).toMatch(/503\nand 10 more$/)
    await runAfter(60)
    expect(fixture.receiver.received).toHaveLength(5)
    expect(await query(`select from alerts where state <> 'sent'`)).toEqual([])
  })

  it('names a monitor only once if it goes down and recovers between two summaries', async () => {
    const monitors = await addMonitors(3)
    const [, secondMonitor = { id: 0, incidentId: 0 }] = monitors
    await addAlerts(monitors)
    await outbox.runOnce()
    fixture.clock.advance({ seconds: 20 })
    await addAlerts([secondMonitor], 'recovered')
    await runAfter(10)
    expect(listTexts()[1]).toBe(
      '🔴 Down: 1 monitor, recovered: 1\nDown\nm3.: Status 503\nRecovered\nm2.: Recovered after 20 s',
    )
    await runAfter(60)
    expect(fixture.listTitles()).toHaveLength(2)
    expect(await query(`select from alerts where state = 'sent'`)).toHaveLength(4)
  })

  it('does not delay the first alert of another channel', async () => {
    const otherChannelId = await fixture.createChannel()
    const monitors = await addMonitors(3)
    await addAlerts(monitors)
    await outbox.runOnce()
    await fixture.addAlert(otherChannelId, { monitorId: monitors[1]?.id as number, title: 'Down: other channel' })
    await outbox.runOnce()
    expect(fixture.listTitles()).toEqual([`Down: m${monitors[0]?.id}`, 'Down: other channel'])
  })

  it('does not affect another user', async () => {
    const stranger = await fixture.server.createUser('stranger')
    const strangersChannelId = await fixture.createChannel({}, stranger)
    const { body } = await stranger.session.post('/api/monitors', { friendly_name: 'Blog', url: 'https://example.com' })
    await addAlerts(await addMonitors(3))
    await outbox.runOnce()
    await fixture.addAlert(strangersChannelId, { monitorId: body.data.id, title: 'Down: Blog' })
    await outbox.runOnce()
    expect(fixture.listTitles()).toHaveLength(2)
    expect(fixture.listTitles()[1]).toBe('Down: Blog')
  })
})

describe('alerts are not combined', () => {
  it('if the user has turned combining off', async () => {
    await fixture.owner.session.call('PATCH', '/api/account', { json: { group_alerts: false } })
    await addAlerts(await addMonitors(5))
    await outbox.runOnce()
    expect(fixture.listTitles()).toHaveLength(5)
  })

  it('if they are about a single monitor that flaps', async () => {
    for (let n = 0; n < 3; n++) {
      const incidentId = await addIncident(fixture.server, fixture.monitorId, { from: 0, to: 0 })
      await fixture.addAlert(channelId, { incidentId, title: `Down: ${n}` })
      await fixture.addAlert(channelId, { incidentId, event: 'recovered', title: `Recovered: ${n}` })
      await runAfter(5)
    }
    expect(fixture.listTitles()).toEqual([
      'Down: 0',
      'Recovered: 0',
      'Down: 1',
      'Recovered: 1',
      'Down: 2',
      'Recovered: 2',
    ])
  })

  it('if they are reminders or warnings about certificates', async () => {
    const monitors = await addMonitors(4)
    await addAlerts(monitors.slice(0, 1))
    await outbox.runOnce()
    await addAlerts(monitors.slice(1, 2), 'down', { event: 'reminder', title: 'Still down' })
    await addAlerts(monitors.slice(2, 3), 'down', { event: 'certificate', title: 'Certificate' })
    await addAlerts(monitors.slice(3))
    await outbox.runOnce()
    expect(fixture.listTitles().slice(1)).toEqual(['Still down', 'Certificate'])
  })

  it('but alerts about a flapping monitor wait for the summary of other monitors', async () => {
    const [flappingMonitor, ...otherMonitors] = (await addMonitors(3)) as [DownMonitor, ...DownMonitor[]]
    await addAlerts([flappingMonitor])
    await outbox.runOnce()
    fixture.clock.advance({ seconds: 20 })
    await addAlerts(otherMonitors)
    await outbox.runOnce()
    await addAlerts([flappingMonitor], 'recovered')
    await runAfter(9)
    expect(fixture.listTitles()).toHaveLength(1)
    await runAfter(1)
    expect(fixture.listTitles()[1]).toBe('Down: 2 monitors, recovered: 1')
  })
})

describe('the message of a summary', () => {
  it('is repeated with the same id and content after a failure, also by another node', async () => {
    const monitors = await addMonitors(4)
    await addAlerts(monitors)
    await outbox.runOnce()
    fixture.receiver.respondWith(503, 'busy')
    await runAfter(30)
    await addAlerts(monitors.slice(1, 2), 'recovered')
    const otherNode = await fixture.startNode()
    await node.expire()
    fixture.receiver.respondWith(200, 'ok')
    fixture.clock.advance({ seconds: 5 })
    await otherNode.outbox.runOnce()
    const [, firstRequest, secondRequest] = fixture.receiver.received
    expect(secondRequest?.body).toBe(firstRequest?.body)
    expect(listMessageIds()[2]).toBe(listMessageIds()[1])
    // The message did not contain the recovery, so another message follows.
    fixture.clock.advance({ seconds: 30 })
    await otherNode.outbox.runOnce()
    expect(fixture.listTitles().slice(3)).toEqual([`Recovered after 1 min: m${monitors[1]?.id}`])
  })

  it('is repeated with the same id if the node is killed while it is sent', async () => {
    const monitors = await addMonitors(3)
    await addAlerts(monitors)
    await outbox.runOnce()
    fixture.clock.advance({ seconds: 30 })
    const { promise: messageArrival, resolve: onReceived } = Promise.withResolvers<void>()
    fixture.receiver.handleWith(() => onReceived())
    const pendingRun = outbox.runOnce()
    await messageArrival
    await node.expire()
    fixture.receiver.respondWith(200, 'ok')
    const otherNode = await fixture.startNode()
    await otherNode.outbox.runOnce()
    expect(fixture.listTitles().slice(1)).toEqual(['Down: 2 monitors', 'Down: 2 monitors'])
    expect(new Set(listMessageIds().slice(1)).size).toBe(1)
    await node.stop()
    await pendingRun
  })

  it('is in the log of each monitor that it names', async () => {
    const monitors = await addMonitors(3)
    await addAlerts(monitors)
    await outbox.runOnce()
    await runAfter(30)
    const logs = []
    for (const { id } of monitors) {
      const { body } = await fixture.owner.session.get(`/api/monitors/${id}/notifications/log`)
      logs.push(body.data[0])
    }
    expect(logs).toMatchObject([{ state: 'sent' }, { state: 'sent' }, { state: 'sent' }])
    expect(logs.map(({ message_alerts }) => message_alerts)).toEqual([1, 2, 2])
    expect(logs.map(({ message_id }) => message_id)).toEqual([
      listMessageIds()[0],
      listMessageIds()[1],
      listMessageIds()[1],
    ])
    expect(logs[0].id).toBe(logs[0].message_id)
    expect(new Set(logs.map(({ id }) => id)).size).toBe(3)
  })
})
