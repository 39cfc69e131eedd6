/** A webhook that records which messages it received, and when. */
import { setTimeout as delay } from 'node:timers/promises'
import { startHttpReceiver } from '../support/http-receiver.ts'

const READ_PATH = '/read'

export interface DeliveryReceipt {
  id: string
  /** Epoch milliseconds. */
  at: number
}

export interface WebhookReceiver {
  /** The fields of a channel that sends to this webhook. */
  channelFields: object
  /** The id of that channel, once the test has created it. */
  channelId: number
  received: DeliveryReceipt[]
  /** Ids of messages whose sender was still connected when the 200 response was sent. */
  acknowledgedIds: Set<string>
  /** The ids of all messages, without repeats. */
  listIds(): Set<string>
  /** Lists repeated deliveries of the same message. `firstAt` is when that message was first delivered. */
  listRepeats(): { id: string; firstAt: number }[]
  /** Before each later response, calls `wait`, which resolves with the status of the response. undefined means 200. */
  respondAfter(wait: () => Promise<number | undefined>): void
  /** Resolves when every message that was sent before the call has been received. */
  waitUntilRead(): Promise<void>
  close(): Promise<void>
}

/** Each response is delayed by `delayMs()`. */
export async function startWebhookReceiver(delayMs: () => number = () => 0): Promise<WebhookReceiver> {
  const receiver = await startHttpReceiver()
  const received: DeliveryReceipt[] = []
  const acknowledgedIds = new Set<string>()
  let wait: () => Promise<number | undefined> = async () => {
    await delay(delayMs())
    return undefined
  }
  receiver.handleWith(async (response, { path, headers }) => {
    if (path === READ_PATH) return void response.writeHead(204, { connection: 'close' }).end()
    const id = String(headers['x-belfry-message-id'])
    received.push({ id, at: Date.now() })
    const status = (await wait()) ?? 200
    if (response.destroyed) return
    if (status === 200) acknowledgedIds.add(id)
    response.writeHead(status).end('ok')
  })
  return {
    channelFields: { provider_type: 'slack', webhook_url: `${receiver.address}/hook`, assign_by_default: true },
    channelId: 0,
    received,
    acknowledgedIds,
    listIds: () => new Set(received.map(({ id }) => id)),
    listRepeats() {
      const firstTimes = new Map<string, number>()
      return received.flatMap(({ id, at }) => {
        const firstAt = firstTimes.get(id)
        if (firstAt === undefined) firstTimes.set(id, at)
        return firstAt === undefined ? [] : [{ id, firstAt }]
      })
    },
    respondAfter: (newWait) => {
      wait = newWait
    },
    waitUntilRead: async () => {
      // The server accepts connections in order, and this request opens a new connection, so the server reads the
      // request after all earlier messages.
      await fetch(receiver.address + READ_PATH)
    },
    close: () => receiver.close(),
  }
}
