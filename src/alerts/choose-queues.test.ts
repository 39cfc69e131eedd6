import { describe, expect, it } from 'vitest'
import { getProviderKind, type ProviderType } from '../providers/kinds.ts'
import { chooseQueues } from './choose-queues.ts'

const createQueues = (count: number, type: ProviderType, isFailing = false) =>
  Array.from({ length: count }, (_, n) => ({ userId: 1, providerId: n + 1, type, isFailing }))

const countQueuesOfType = (chosenQueues: ReturnType<typeof chooseQueues>, type: ProviderType) =>
  chosenQueues.filter((queue) => queue.type === type).length

describe('the choice of providers', () => {
  it('has a separate limit for each kind', () => {
    const chosenQueues = chooseQueues([...createQueues(500, 'slack'), ...createQueues(500, 'email')], [])
    expect([countQueuesOfType(chosenQueues, 'slack'), countQueuesOfType(chosenQueues, 'email')]).toEqual([
      getProviderKind('slack').maxConcurrent,
      getProviderKind('email').maxConcurrent,
    ])
  })

  it('counts the providers that are being served', () => {
    const { maxConcurrent } = getProviderKind('sms')
    expect(chooseQueues(createQueues(500, 'sms'), createQueues(maxConcurrent - 1, 'sms'))).toHaveLength(1)
    expect(chooseQueues(createQueues(500, 'sms'), createQueues(maxConcurrent, 'sms'))).toHaveLength(0)
  })

  it('reserves half of the limit for providers that work', () => {
    const { maxConcurrent } = getProviderKind('slack')
    const chosenQueues = chooseQueues([...createQueues(500, 'slack', true), ...createQueues(500, 'slack')], [])
    expect(chosenQueues.filter(({ isFailing }) => isFailing)).toHaveLength(maxConcurrent / 2)
    expect(chosenQueues).toHaveLength(maxConcurrent)
  })
})
