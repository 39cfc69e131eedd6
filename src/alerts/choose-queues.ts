/** Chooses which channels are served next, so that slow ones delay neither other channels nor other users. */
import { type ChannelType, getChannelKind } from '../channels/kinds.ts'
import type { AlertQueue } from './queue-store.ts'

type CountedQueue = Pick<AlertQueue, 'userId' | 'type' | 'isFailing'>

/** The share of the slots that is reserved for users who use none yet, one slot each. */
const RESERVED_SHARE = 0.2
/**
 * Of the other slots, a user can use at most this many times the number that stays free: three quarters if the user is alone, three
 * sevenths each if there are two users, and so on. So a user whose webhooks all hang always leaves slots for others.
 */
const MAX_USER_RATIO = 3

/** Counts the slots that running queues use, of all users together and of each user. */
class Slots {
  readonly #size: number
  #used = 0
  readonly #usedByUser = new Map<number, number>()

  constructor(size: number) {
    this.#size = size
  }

  use(userId: number): void {
    this.#used++
    this.#usedByUser.set(userId, this.#usedBy(userId) + 1)
  }

  canUse(userId: number): boolean {
    const usedByUser = this.#usedBy(userId)
    if (usedByUser === 0) return this.#used < this.#size
    const freeAfterwards = this.#size * (1 - RESERVED_SHARE) - this.#used - 1
    return usedByUser + 1 <= MAX_USER_RATIO * freeAfterwards
  }

  #usedBy(userId: number): number {
    return this.#usedByUser.get(userId) ?? 0
  }
}

/** Each kind of channel limits how many of its queues run concurrently. Failing channels get at most half of that limit. */
export function chooseQueues(readyQueues: readonly AlertQueue[], runningQueues: readonly CountedQueue[]): AlertQueue[] {
  const slotsByType = new Map<ChannelType, { all: Slots; failing: Slots }>()
  const findSlots = ({ type, isFailing }: CountedQueue): Slots[] => {
    const { maxConcurrent } = getChannelKind(type)
    const slots = slotsByType.get(type) ?? { all: new Slots(maxConcurrent), failing: new Slots(maxConcurrent / 2) }
    slotsByType.set(type, slots)
    return isFailing ? [slots.all, slots.failing] : [slots.all]
  }
  for (const queue of runningQueues) for (const slots of findSlots(queue)) slots.use(queue.userId)
  return readyQueues.filter((queue) => {
    const slots = findSlots(queue)
    if (!slots.every((group) => group.canUse(queue.userId))) return false
    for (const group of slots) group.use(queue.userId)
    return true
  })
}
