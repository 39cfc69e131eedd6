import { describe, expect, it } from 'vitest'
import { type DeliveryFacts, findDeliveryProblem } from './delivery-health.ts'

const claimFailure = (forMs: number) => ({
  problem: 'could not look for an alert to send',
  reason: 'canceling statement due to statement timeout',
  forMs,
})
const nothingOverdue = { channelCount: 0, forMs: 0 }

describe('the delivery of alerts', () => {
  it.each<[string, DeliveryFacts]>([
    ['nothing fails', { failures: [], overdue: nothingOverdue }],
    ['the outbox fails for less than a minute', { failures: [claimFailure(59_999)], overdue: nothingOverdue }],
    ['alerts are late by less than a minute', { failures: [], overdue: { channelCount: 3, forMs: 59_999 } }],
  ])('works while %s', (_, facts) => {
    expect(findDeliveryProblem(facts)).toBeUndefined()
  })

  it('fails after the outbox has failed for a minute, with a sentence about the oldest problem and the error as the reason', () => {
    const storeFailure = { ...claimFailure(90_000), problem: 'could not store the result of sending an alert' }
    const overdue = { channelCount: 3, forMs: 300_000 }
    expect(findDeliveryProblem({ failures: [claimFailure(60_000), storeFailure], overdue })).toEqual({
      sentence:
        'For over a minute, this node could not store the result of sending an alert. Check the load and the log of PostgreSQL, and the log of this node.',
      reason: 'canceling statement due to statement timeout',
    })
  })

  it.each([
    [1, 'one notification channel'],
    [3, '3 notification channels'],
  ])(
    'fails after alerts for %d channels have been due for a minute and no node has begun to send them',
    (channelCount, name) => {
      expect(findDeliveryProblem({ failures: [], overdue: { channelCount, forMs: 60_000 } })).toEqual({
        sentence: `Alerts for ${name} have been due for over a minute, and no node has begun to send them. Check the load and the logs of the nodes with the role worker, and of PostgreSQL.`,
      })
    },
  )
})
