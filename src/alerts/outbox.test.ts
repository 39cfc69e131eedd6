import { describe, expect, it } from 'vitest'
import { type ChannelType, getChannelKind } from '../channels/kinds.ts'
import { chooseQueues } from './outbox.ts'
import type { AlertQueue } from './queue-store.ts'

/** Each queue belongs to a different user, unless `teamId` is given. */
const createQueues = (count: number, type: ChannelType, { isFailing = false, teamId = 0 } = {}) =>
  Array.from({ length: count }, (_, n) => ({ teamId: teamId || 100 + n, channelId: n + 1, type, isFailing }))

const countQueuesOfType = (chosenQueues: ReturnType<typeof chooseQueues>, type: ChannelType) =>
  chosenQueues.filter((queue) => queue.type === type).length

describe('the choice of channels', () => {
  it('has a separate limit for each kind of channel', () => {
    const chosenQueues = chooseQueues([...createQueues(500, 'slack'), ...createQueues(500, 'email')], [])
    expect([countQueuesOfType(chosenQueues, 'slack'), countQueuesOfType(chosenQueues, 'email')]).toEqual([
      getChannelKind('slack').maxConcurrent,
      getChannelKind('email').maxConcurrent,
    ])
  })

  it('allows fewer channels while deliveries to others are running', () => {
    const { maxConcurrent } = getChannelKind('sms')
    expect(chooseQueues(createQueues(500, 'sms'), createQueues(maxConcurrent - 1, 'sms'))).toHaveLength(1)
    expect(chooseQueues(createQueues(500, 'sms'), createQueues(maxConcurrent, 'sms'))).toHaveLength(0)
  })

  it('reserves half of the limit for channels that work', () => {
    const { maxConcurrent } = getChannelKind('slack')
    const chosenQueues = chooseQueues(
      [...createQueues(500, 'slack', { isFailing: true }), ...createQueues(500, 'slack')],
      [],
    )
    expect(chosenQueues.filter(({ isFailing }) => isFailing)).toHaveLength(maxConcurrent / 2)
    expect(chosenQueues).toHaveLength(maxConcurrent)
  })

  it('leaves two fifths of the slots to other users', () => {
    for (const [type, isFailing, size] of [
      ['slack', false, 100],
      ['slack', true, 50],
      ['sms', false, 20],
      ['email', false, 10],
    ] as const) {
      const chosenCount = chooseQueues(createQueues(500, type, { isFailing, teamId: 1 }), []).length
      expect(chosenCount / size, type).toBeGreaterThanOrEqual(0.58)
      expect(chosenCount / size, type).toBeLessThanOrEqual(0.6)
    }
  })

  it('always has a slot for a user who uses none yet', () => {
    const runningQueues: ReturnType<typeof chooseQueues> = []
    for (let teamId = 1; teamId <= 20; teamId++) {
      const chosenQueues = chooseQueues(createQueues(500, 'slack', { teamId }), runningQueues)
      expect(chosenQueues.length, `user ${teamId}`).toBeGreaterThanOrEqual(1)
      runningQueues.push(...chosenQueues)
    }
  })

  it('leaves slots for failing channels of other users, too', () => {
    const runningQueues = chooseQueues(createQueues(500, 'slack', { isFailing: true, teamId: 1 }), [])
    const [queue] = createQueues(1, 'slack', { isFailing: true, teamId: 2 })
    expect(chooseQueues([queue as AlertQueue], runningQueues)).toEqual([queue])
  })
})
