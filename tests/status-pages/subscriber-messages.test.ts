/** Subscribers get one email about each post and maintenance, and nobody else does. */
import { beforeEach, describe, expect, it } from 'vitest'
import { deleteExpired } from '../../src/app/delete-expired.ts'
import { createJob } from '../../src/app/jobs.ts'
import { createUpdateMessages } from '../../src/status-pages/subscribers/message-store.ts'
import type { ReceivedMail } from '../support/smtp-receiver.ts'
import { insertStatusMaintenance } from '../support/status-pages.ts'
import { announceMaintenancesOf, BASE_URL, type SubscriberFixture } from '../support/subscribers.ts'
import { describeMessageDelivery } from './message-delivery.ts'
import { useMessageFixture } from './message-support.ts'

const messages = useMessageFixture()
const { database, addSubscribers, addPost, countStates } = messages
let fixture: SubscriberFixture
let pageId: number
let shopId: number
let ordersId: number
beforeEach(() => {
  ;({ fixture, pageId, shopId, ordersId } = messages.current())
})

const addMaintenance = (options: { fromHours: number; toHours: number; monitorIds?: number[]; note?: string }) => {
  const inHours = (hours: number) => new Date(fixture.server.clock.now().getTime() + hours * 3_600_000)
  const { fromHours, toHours, ...others } = options
  const times = { startsAt: inHours(fromHours), endsAt: inHours(toHours), now: fixture.server.clock.now() }
  return insertStatusMaintenance(database(), fixture.owner.id, { ...times, ...others })
}
async function follow(subscriberId: number | undefined, monitorId: number): Promise<void> {
  await database().query('update status_subscribers set all_monitors = false where id = $1', [subscriberId])
  await database().query(
    'insert into status_subscriber_monitors (user_id, subscriber_id, monitor_id) values ($1, $2, $3)',
    [fixture.owner.id, subscriberId, monitorId],
  )
}
const listRecipients = (received: readonly ReceivedMail[] = fixture.mail.received) =>
  received.map(({ to }) => to[0]?.replace('@example.org', '')).sort()

describe('a post', () => {
  it('is announced in an email that a stranger understands, with its headers and links', async () => {
    await addSubscribers(1)
    const body = 'Orders are **slow**. <img src=x onerror=alert(1)> See [docs](https://docs.example).'
    await addPost({ title: 'Slow orders', monitorIds: [shopId], updates: [{ state: 'identified', body }] })
    await fixture.node.send()
    const [receivedMail] = fixture.mail.received
    const { mail, raw = '' } = receivedMail ?? {}
    expect(mail?.subject).toBe('[Identified] Example status: Slow orders')
    expect(mail?.references).toMatch(/^<belfry-status-post-\d+-\w+@[^ ]+>$/)
    for (const text of [mail?.text ?? '', mail?.html ?? '']) {
      expect(text).toContain('Shop')
      expect(text).toContain(`${BASE_URL}/status/example`)
      expect(text).toContain('5 Jan 2026, 11:00:00 (Europe/Berlin, UTC+1)')
      expect(text).not.toMatch(/Internal|https:\/\/example\.com\//)
    }
    expect(mail?.html).toContain('<strong>slow</strong>')
    expect(mail?.html).not.toMatch(/<img(?! src="cid:)/)
    expect(mail?.text).toContain('docs (https://docs.example)')
    const headers = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n\s+/g, ' ')
    expect(headers).toMatch(/^List-Id: <example\.status\.stats\.example\.org>$/im)
    expect(headers).toMatch(/^List-Unsubscribe: <https:\/\/stats\.example\.org\/status\/example\/unsubscribe\?token=/m)
    expect(headers).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m)
    expect(headers).toMatch(/^Auto-Submitted: auto-generated$/m)
    expect(headers).toMatch(/^X-Auto-Response-Suppress: All$/m)
    const managePage = await fixture.server.anyone.get(fixture.findLink(receivedMail, 'manage'))
    expect(managePage.text).toContain('Your subscription')
  })

  it('is announced once to each subscriber who follows its monitors or the whole page', async () => {
    const [, shop, orders] = await addSubscribers(3)
    await addSubscribers(1, 'pending')
    await database().query(`update status_subscribers set state = 'pending' where email like 'pending%'`)
    await follow(shop, shopId)
    await follow(orders, ordersId)
    const { postId, updateId } = await addPost({ monitorIds: [shopId] })
    await fixture.node.send()
    expect(listRecipients()).toEqual(['person-1', 'person-2'])
    // Storing the messages again changes nothing.
    await database().transaction((q) =>
      createUpdateMessages(q, fixture.owner.id, { pageId, postId, updateId }, fixture.server.clock.now()),
    )
    await addPost()
    await fixture.node.send()
    expect(listRecipients()).toEqual(['person-1', 'person-1', 'person-2', 'person-2', 'person-3'])
    expect(await countStates()).toEqual({ sent: 5 })
    fixture.server.clock.advance({ days: 31 })
    await deleteExpired(fixture.server.services)
    expect(await countStates()).toEqual({})
  })

  it('is no longer announced to somebody who left, or after it or its page was deleted or became private', async () => {
    const [firstId] = await addSubscribers(3)
    const { postId } = await addPost()
    await database().query('delete from status_subscribers where id = $1', [firstId])
    await database().query('delete from status_posts where id = $1', [postId])
    await fixture.node.send()
    expect(await countStates()).toEqual({ cancelled: 2 })
    await addPost()
    await database().query('update status_pages set privacy = 1')
    await fixture.node.send()
    expect(await countStates()).toEqual({ cancelled: 4 })
    await addPost()
    expect(await countStates()).toEqual({ cancelled: 4 })
    await database().query('update status_pages set privacy = 0')
    await addPost()
    await database().query('delete from status_pages')
    await fixture.node.send()
    expect(await countStates()).toEqual({})
    expect(fixture.mail.received).toEqual([])
  })
})

describeMessageDelivery(messages)

describe('a maintenance', () => {
  it('is announced a day before it begins, once, to subscribers who follow its monitors', async () => {
    const [, shop, orders] = await addSubscribers(3)
    await follow(shop, shopId)
    await follow(orders, ordersId)
    await addMaintenance({ fromHours: 30, toHours: 31, monitorIds: [shopId], note: 'Orders are <slow>.' })
    const { server, node } = fixture
    await announceMaintenancesOf(server)
    expect(await countStates()).toEqual({})
    server.clock.advance({ hours: 7 })
    const jobs = [1, 2, 3].map(() => createJob('announce maintenances to subscribers', server.services))
    await Promise.all(jobs.map((job) => job.run()))
    expect(await countStates()).toEqual({ waiting: 2 })
    await node.send()
    expect(listRecipients()).toEqual(['person-1', 'person-2'])
    const { mail } = fixture.mail.received[0] ?? {}
    expect(mail?.subject).toBe('Example status: planned maintenance (Database upgrade)')
    expect(mail?.text).toContain('Begins: 6 Jan 2026, 17:00:00 (Europe/Berlin, UTC+1)')
    expect(mail?.text).toContain('Affected: Shop')
    expect(mail?.html).toContain('Orders are &lt;slow&gt;.')
    expect(mail?.text).not.toContain('Internal')
    await addSubscribers(1, 'late')
    server.clock.advance({ hours: 23 })
    await announceMaintenancesOf(server)
    await node.send()
    expect(fixture.mail.received).toHaveLength(2)
  })

  it('is announced immediately if it begins soon, but not if it is over, deleted, or about other monitors', async () => {
    await addSubscribers(1)
    const { server, node } = fixture
    const otherPage = await fixture.createPage({ slug: 'other' })
    await addMaintenance({ fromHours: -2, toHours: -1, monitorIds: [shopId] })
    await addMaintenance({ fromHours: -1, toHours: 1, monitorIds: [otherPage.shopId] })
    await announceMaintenancesOf(server)
    expect(await countStates()).toEqual({})
    const deletedId = await addMaintenance({ fromHours: -1, toHours: 1, monitorIds: [shopId] })
    await announceMaintenancesOf(server)
    expect(await countStates()).toEqual({ waiting: 1 })
    await database().query('delete from maintenances where id = $1', [deletedId])
    await node.send()
    expect(await countStates()).toEqual({ cancelled: 1 })
    await addMaintenance({ fromHours: 0, toHours: 1, monitorIds: [ordersId] })
    await announceMaintenancesOf(server)
    await node.send()
    expect(fixture.mail.received).toHaveLength(1)
  })
})
