/** A webhook that remembers which message it got when. */
import { setTimeout as pause } from 'node:timers/promises'
import { startHttpReceiver } from '../support/http-receiver.ts'

export interface Receipt {
  id: string
  /** Epoch milliseconds. */
  at: number
}

export interface Inbox {
  /** Of the provider that leads here. */
  fields: object
  /** Its id, once it is made. */
  provider: number
  received: Receipt[]
  /** Those whose sender was still there to hear that it was taken. */
  taken: Set<string>
  /** Each once, in the order in which it came first. */
  ids(): Set<string>
  /** Messages that came more than once, each as often as it came again. */
  repeats(): { id: string; first: number }[]
  /** Answers wait for this from now on; 200 unless another status is said. */
  answerAfter(wait: () => Promise<number | undefined>): void
  close(): Promise<void>
}

/** `delayMs`: before each answer. */
export async function startInbox(delayMs: () => number = () => 0): Promise<Inbox> {
  const receiver = await startHttpReceiver()
  const received: Receipt[] = []
  const taken = new Set<string>()
  let wait: () => Promise<number | undefined> = async () => {
    await pause(delayMs())
    return undefined
  }
  receiver.answer(async (response, { headers }) => {
    const id = String(headers['x-belfry-message-id'])
    received.push({ id, at: Date.now() })
    const status = (await wait()) ?? 200
    if (response.destroyed) return
    if (status === 200) taken.add(id)
    response.writeHead(status).end('ok')
  })
  return {
    fields: { provider_type: 'slack', webhook_url: `${receiver.address}/hook`, assign_by_default: true },
    provider: 0,
    received,
    taken,
    ids: () => new Set(received.map(({ id }) => id)),
    repeats() {
      const first = new Map<string, number>()
      return received.flatMap(({ id, at }) => {
        const earlier = first.get(id)
        if (earlier === undefined) first.set(id, at)
        return earlier === undefined ? [] : [{ id, first: earlier }]
      })
    },
    answerAfter: (next) => {
      wait = next
    },
    close: () => receiver.close(),
  }
}
