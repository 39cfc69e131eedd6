import { describe, expect, it } from 'vitest'
import { kindOf, type ProviderType } from '../providers/kinds.ts'
import { chooseQueues } from './choose-queues.ts'

const queues = (count: number, type: ProviderType, isAiling = false) =>
  Array.from({ length: count }, (_, n) => ({ userId: 1, providerId: n + 1, type, isAiling }))

const countOf = (chosen: ReturnType<typeof chooseQueues>, type: ProviderType) =>
  chosen.filter((queue) => queue.type === type).length

describe('the choice of providers', () => {
  it('has room for so many of a kind, whatever waits of others', () => {
    const chosen = chooseQueues([...queues(500, 'slack'), ...queues(500, 'email')], [])
    expect([countOf(chosen, 'slack'), countOf(chosen, 'email')]).toEqual([
      kindOf('slack').atOnce,
      kindOf('email').atOnce,
    ])
  })

  it('counts those under way', () => {
    const { atOnce } = kindOf('sms')
    expect(chooseQueues(queues(500, 'sms'), queues(atOnce - 1, 'sms'))).toHaveLength(1)
    expect(chooseQueues(queues(500, 'sms'), queues(atOnce, 'sms'))).toHaveLength(0)
  })

  it('leaves half of the room to those that did not just fail', () => {
    const { atOnce } = kindOf('slack')
    const chosen = chooseQueues([...queues(500, 'slack', true), ...queues(500, 'slack')], [])
    expect(chosen.filter(({ isAiling }) => isAiling)).toHaveLength(atOnce / 2)
    expect(chosen).toHaveLength(atOnce)
  })
})
