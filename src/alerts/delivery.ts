/** The loop that empties the outbox: finds providers for which something waits, and has it sent. */
import { setTimeout as wait } from 'node:timers/promises'
import { within } from '../lib/within.ts'
import { Endurance } from '../nodes/endurance.ts'
import type { Lease } from '../nodes/lease.ts'
import { chooseQueues } from './choose-queues.ts'
import { claimQueues, findReadyQueues, freeAbandoned, type ReadyQueue } from './outbox-store.ts'
import { type Means, sendRound } from './round.ts'

const POLL_MS = 1_000
/** However many providers are waited for, looking for them takes a tenth of the time at most. */
const LOOKING_SHARE = 0.1
const LOOKING_PAUSE_MOST_MS = 3_000
/** Of each kind, and of those that failed last. More are not on their way at once. */
const READY_OF_EACH = 100
/** For messages that are on their way when this server stops, and again for writing what became of them. */
const GRACE_MS = 1_000

export interface DeliveryOptions extends Means {
  node: Pick<Lease, 'id' | 'hasId' | 'isHeld' | 'isCalm'>
}

export class Delivery {
  readonly #options: DeliveryOptions
  /** By the id of the provider. */
  readonly #underway = new Map<number, ReadyQueue & { done: Promise<void> }>()
  #loop: Promise<void> | undefined
  #wake: () => void = () => {}
  #isWoken = false
  /** Somebody had no room. */
  #isCrowded = false
  readonly #stopping = new AbortController()
  readonly #endurance: Endurance

  constructor(options: DeliveryOptions) {
    this.#options = options
    this.#endurance = new Endurance(options.log)
  }

  start(): void {
    this.#loop = this.#run()
  }

  /** There is something now. */
  wake(): void {
    this.#isWoken = true
    this.#wake()
  }

  /** Looks once, and waits until what it found is done. */
  async runOnce(): Promise<void> {
    await this.#look()
    await this.#finish()
  }

  /** Messages on their way have a moment to arrive; then the courier is stopped with them. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#endurance.endIn(2 * GRACE_MS)
    this.wake()
    const end = Promise.resolve(this.#loop).then(() => this.#finish())
    await within(GRACE_MS, end)
    await this.#options.courier.stop()
    await within(GRACE_MS, end)
  }

  async #finish(): Promise<void> {
    await Promise.all([...this.#underway.values()].map(({ done }) => done))
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const begun = performance.now()
      await this.#look()
      const took = performance.now() - begun
      await this.#pause(Math.min(took / LOOKING_SHARE, LOOKING_PAUSE_MOST_MS))
      await this.#untilWoken(POLL_MS)
    }
  }

  /** Ends when this server stops. */
  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }

  async #untilWoken(mostMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    const timer = setTimeout(resolve, this.#isWoken ? 0 : mostMs)
    await promise
    clearTimeout(timer)
    this.#isWoken = false
  }

  async #look(): Promise<void> {
    const { node, db, clock } = this.#options
    if (!node.isHeld()) return
    try {
      const claimant = node.id
      const now = clock.now()
      if (node.isCalm() && this.#endurance.isCalm()) await freeAbandoned(db, claimant, [...this.#underway.keys()])
      const ready = await findReadyQueues(db, now, READY_OF_EACH)
      const chosen = chooseQueues(ready, this.#underway.values()).filter((one) => !this.#underway.has(one.providerId))
      this.#isCrowded = chosen.length < ready.length
      if (chosen.length === 0) return
      const claimed = new Set(await claimQueues(db, claimant, chosen, now))
      for (const queue of chosen) if (claimed.has(queue.providerId)) this.#begin(queue, claimant)
    } catch (error) {
      this.#endurance.complain(error, 'alerts cannot be looked for')
    }
  }

  #begin(queue: ReadyQueue, claimant: number): void {
    const { node } = this.#options
    const round = sendRound(this.#options, {
      queue,
      node: claimant,
      mayGoOn: () => !this.#stopping.signal.aborted && node.hasId(claimant) && node.isHeld(),
      insist: (write) => this.#endurance.insist('what became of an alert cannot be written', write),
    })
    const done = round
      .catch((error) => {
        this.#endurance.complain(error, 'alerts cannot be sent')
        return false
      })
      .then((hasMore) => {
        this.#underway.delete(queue.providerId)
        if (hasMore || this.#isCrowded) this.wake()
      })
    this.#underway.set(queue.providerId, { ...queue, done })
  }
}
