/** Tests of the delivery of messages to subscribers. They share the server of `subscriber-messages.test.ts`. */
import type { SMTPServerOptions } from 'smtp-server'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { SubscriberFixture } from '../support/subscribers.ts'
import type { MessageFixture } from './message-support.ts'

type RecipientCheck = NonNullable<SMTPServerOptions['onRcptTo']>

/** Creates a check that rejects recipients with this status code while `isRejecting` returns true for their address. */
const createRecipientCheck = (responseCode: number, isRejecting: (address: string) => boolean): RecipientCheck => {
  return ({ address }, _session, done) =>
    done(isRejecting(address) ? Object.assign(new Error('no such user'), { responseCode }) : null)
}

export function describeMessageDelivery({
  current,
  database,
  addSubscribers,
  addPost,
  countStates,
}: MessageFixture): void {
  describe('the delivery of messages', () => {
    let fixture: SubscriberFixture
    beforeEach(() => {
      fixture = current().fixture
    })

    it('to a subscriber stops after three rejections in a row, and a success resets their number', async () => {
      await addSubscribers(2)
      let isRejecting = true
      fixture.mail.setHandlers({
        onRcptTo: createRecipientCheck(550, (address) => isRejecting && address.startsWith('person-1@')),
      })
      const readRejections = async () =>
        (await fixture.readSubscribers()).map(({ state, rejections }) => [state, rejections])
      for (let n = 0; n < 2; n++) {
        await addPost()
        await fixture.node.send()
      }
      expect(await readRejections()).toEqual([
        ['confirmed', 2],
        ['confirmed', 0],
      ])
      isRejecting = false
      await addPost()
      await fixture.node.send()
      expect(await readRejections()).toEqual([
        ['confirmed', 0],
        ['confirmed', 0],
      ])
      isRejecting = true
      for (let n = 0; n < 5; n++) {
        await addPost()
        await fixture.node.send()
      }
      expect(await readRejections()).toEqual([
        ['bounced', 3],
        ['confirmed', 0],
      ])
      // The mail server rejected five messages: two before its only success, and three after it. No later post was sent.
      const messages = await database().query<{ state: string; count: number }>(
        `select m.state, count(*)::int from status_messages m join status_subscribers s on s.id = m.subscriber_id
          where s.email = 'person-1@example.org' group by 1 order by 1`,
      )
      expect(messages).toEqual([
        { state: 'failed', count: 5 },
        { state: 'sent', count: 1 },
      ])
      expect(fixture.mail.received.filter(({ to }) => to[0]?.startsWith('person-1@'))).toHaveLength(1)

      // The person can subscribe again when their mailbox works.
      isRejecting = false
      await fixture.subscribe('person-1@example.org')
      await fixture.node.send()
      const confirmation = fixture.mail.received.at(-1)
      expect(confirmation?.mail.subject).toContain('Confirm')
      await fixture.server.anyone.call('POST', fixture.findLink(confirmation, 'confirm'))
      expect(await readRejections()).toEqual([
        ['confirmed', 0],
        ['confirmed', 0],
      ])
    })

    it('is retried with the same Message-ID if the mail server is busy, and is given up after 48 hours without a rejection', async () => {
      await addSubscribers(1)
      const { clock } = fixture.server
      let isBusy = true
      fixture.mail.setHandlers({ onRcptTo: createRecipientCheck(450, () => isBusy) })
      await addPost()
      for (let n = 0; n < 3; n++) {
        await fixture.node.send()
        clock.advance({ minutes: 2 })
      }
      const [waitingMessage] = await fixture.readMessages()
      expect(waitingMessage).toMatchObject({ state: 'waiting', attempts: 3 })
      isBusy = false
      await fixture.node.send()
      expect(fixture.mail.received[0]?.mail.messageId).toBe(`<${waitingMessage?.message_id}@example.org>`)
      isBusy = true
      await addPost()
      await fixture.node.send()
      clock.advance({ hours: 47 })
      await fixture.node.send()
      expect((await fixture.readMessages())[1]).toMatchObject({ state: 'waiting', attempts: 2 })
      clock.advance({ hours: 2 })
      await fixture.node.send()
      expect((await fixture.readMessages())[1]).toMatchObject({ state: 'cancelled', answer: 'Not sent within 48 h.' })
      expect((await fixture.readSubscribers())[0]).toMatchObject({ state: 'confirmed', rejections: 0 })
    })

    it('to many subscribers of a page does not delay confirmations of this page or of another page', async () => {
      await addSubscribers(40)
      await addPost()
      await fixture.createPage({ slug: 'small' })
      await fixture.subscribe('grace@example.com', { slug: 'small' })
      await fixture.subscribe('ada@example.com')
      await fixture.node.send()
      const order = fixture.mail.received.map(({ to }) => to[0] ?? '')
      expect(order.length).toBe(42)
      expect(order.indexOf('grace@example.com')).toBeLessThan(8)
      expect(order.indexOf('ada@example.com')).toBeLessThan(8)
    })

    it('uses at most three connections at a time, and another node continues the work of a killed node', async () => {
      await addSubscribers(12)
      await addPost()
      let [openCount, maxOpenCount] = [0, 0]
      const messageIds: string[] = []
      const heldResponses: (() => void)[] = []
      let isHolding = false
      fixture.mail.setHandlers({
        onData(stream, _session, done) {
          maxOpenCount = Math.max(maxOpenCount, ++openCount)
          let raw = ''
          stream.setEncoding('utf8').on('data', (text) => (raw += text))
          stream.on('end', () => {
            messageIds.push(/^Message-ID: (.*)\r$/im.exec(raw)?.[1] ?? '')
            const respond = () => {
              openCount--
              done()
            }
            if (isHolding) heldResponses.push(respond)
            else respond()
          })
        },
      })
      await fixture.node.send()
      expect(maxOpenCount).toBeLessThanOrEqual(3)
      expect(new Set(messageIds).size).toBe(12)
      expect(await countStates()).toEqual({ sent: 12 })

      messageIds.length = 0
      isHolding = true
      await addPost()
      const interruptedRun = fixture.node.send()
      await vi.waitFor(() => expect(heldResponses).toHaveLength(3), 5_000)
      const unconfirmedIds = [...messageIds]
      isHolding = false
      const secondNode = await fixture.startNode()
      await secondNode.send()
      expect(await countStates()).toEqual({ sent: 21, waiting: 3 })
      await fixture.node.expire()
      await secondNode.send()
      expect(await countStates()).toEqual({ sent: 24 })
      const repeatedIds = messageIds.filter((id, n) => messageIds.indexOf(id) !== n)
      expect(repeatedIds.sort()).toEqual(unconfirmedIds.sort())
      for (const respond of heldResponses) respond()
      await interruptedRun
      expect(await countStates()).toEqual({ sent: 24 })
    })
  })
}
