/** A webhook that records which messages it received, and when. */
import { setTimeout as pause } from 'node:timers/promises'
import { startHttpReceiver } from '../support/http-receiver.ts'

export interface Receipt {
  id: string
  /** Epoch milliseconds. */
  at: number
}

export interface WebhookReceiver {
  /** The fields of a provider that sends to this webhook. */
  fields: object
  /** The id of that provider, once the test has created it. */
  provider: number
  received: Receipt[]
  /** Ids of messages whose sender was still connected when the 200 response was sent. */
  acknowledged: Set<string>
  /** The ids of all messages, without repeats. */
  ids(): Set<string>
  /** One entry for each delivery after the first, with the time of the first. */
  repeats(): { id: string; first: number }[]
  /** Later responses wait for this promise. It resolves with their status, 200 by default. */
  respondAfter(wait: () => Promise<number | undefined>): void
  close(): Promise<void>
}

/** `delayMs` delays each response. */
export async function startWebhookReceiver(delayMs: () => number = () => 0): Promise<WebhookReceiver> {
  const receiver = await startHttpReceiver()
  const received: Receipt[] = []
  const acknowledged = new Set<string>()
  let wait: () => Promise<number | undefined> = async () => {
    await pause(delayMs())
    return undefined
  }
  receiver.handleWith(async (response, { headers }) => {
    const id = String(headers['x-belfry-message-id'])
    received.push({ id, at: Date.now() })
    const status = (await wait()) ?? 200
    if (response.destroyed) return
    if (status === 200) acknowledged.add(id)
    response.writeHead(status).end('ok')
  })
  return {
    fields: { provider_type: 'slack', webhook_url: `${receiver.address}/hook`, assign_by_default: true },
    provider: 0,
    received,
    acknowledged,
    ids: () => new Set(received.map(({ id }) => id)),
    repeats() {
      const first = new Map<string, number>()
      return received.flatMap(({ id, at }) => {
        const earlier = first.get(id)
        if (earlier === undefined) first.set(id, at)
        return earlier === undefined ? [] : [{ id, first: earlier }]
      })
    },
    respondAfter: (next) => {
      wait = next
    },
    close: () => receiver.close(),
  }
}
