/** From the outbox to the receiver: in order, and once. */
import { afterEach, describe, expect, it } from 'vitest'
import { type Outbox, startOutbox } from '../support/alerts.ts'

let outbox: Outbox
afterEach(() => outbox.close())

describe('an alert', () => {
  it('arrives once, with its id, and what came back is kept', async () => {
    outbox = await startOutbox()
    const { addAlert, alert, clock, makeProvider, receiver, startNode, titles } = outbox
    const { delivery } = await startNode()
    const id = await addAlert(await makeProvider())
    clock.advance({ seconds: 3 })
    await delivery.runOnce()
    await delivery.runOnce()
    expect(titles()).toEqual(['Shop is down'])
    expect(receiver.received[0]?.headers['x-belfry-message-id']).toBe(id)
    expect(receiver.received[0]?.body).toContain('https://example.com/')
    expect(await alert(id)).toMatchObject({
      state: 'sent',
      attempts: 1,
      answer: 'ok',
      next_attempt_at: null,
      last_attempt_at: new Date('2026-01-05T10:00:03.000Z'),
    })
  })
})
