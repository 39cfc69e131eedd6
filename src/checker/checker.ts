/** The loop: claims what is due, checks it at its time, and has the result recorded. */
import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { Secret } from '../lib/secret.ts'
import { within } from '../lib/within.ts'
import type { Lease } from '../nodes/lease.ts'
import { isAway } from '../storage/connection-loss.ts'
import type { Database } from '../storage/database.ts'
import {
  type ClaimedRow,
  claimDue,
  countWaiting,
  type Holding,
  releaseAll,
  releaseClaim,
  takeFromDead,
} from './claim-store.ts'
import { type Claimed, claimedOf } from './claimed.ts'
import type { Examiner } from './examiner.ts'
import { Pace } from './pace.ts'
import type { Recorder } from './recorder.ts'
import { resultOf } from './result.ts'
import { nextDue, PUNCTUAL_MS } from './schedule.ts'

/** How often we look for what is due, and how far ahead: what is claimed waits here for its time. */
const LOOK_MS = 200
const AHEAD_MS = 400
/** Begun in groups, whose answers come in groups: a tenth cheaper than every 10 ms, and nobody notices. */
const BEGIN_EVERY_MS = 25
/** At once. Each holds a socket and some 25 KB; what is beyond that waits where others can take it. */
const UNDERWAY_MOST = 8_000
const REAP_MS = 2_000
/** Until something is tried again of which nothing is known: what was in the way may still be. */
const UNKNOWN_PAUSE_MS = 5_000
const GROPE_MOST = 4
/** For writing what is known when this server stops. */
const STOP_MS = 2_000

interface Needs {
  db: Database
  clock: Clock
  log: Logger
  secret: Secret
  lease: Lease
  examiner: Examiner
  recorder: Recorder
  metrics: Pick<Metrics, 'countCheck'>
}

export class Checker {
  readonly #needs: Needs
  readonly #pace = new Pace()
  /** Claimed, with when each begins; the next one last. */
  #queue: { claimed: Claimed; at: number }[] = []
  #underway = 0
  #timers: NodeJS.Timeout[] = []
  #beginTimer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #isStopping = false
  /**
   * Up to when everything that was due has been taken. PostgreSQL steps over a minute of outdated entries to find that there
   * is nothing before (6 ms with 100,000 monitors), so it is asked only now and then.
   */
  #lateBefore: Date | null = null
  #isLookingThrough = true
  /** When the last of those was due that were tried while we were blind. */
  #groped: Date | null = null
  /** An answer of the database was lost, so we may hold what we do not know of. */
  #isInDoubt = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  async start(): Promise<void> {
    this.#timers = [setInterval(() => void this.look(), LOOK_MS), setInterval(() => void this.#reap(), REAP_MS)]
    await this.look()
  }

  /** Running checks are released unrecorded: somebody else does them. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const timer of [...this.#timers, this.#beginTimer]) clearTimeout(timer)
    const { db, lease, clock, recorder } = this.#needs
    // The database may be what we are stopping for.
    const end = (async () => {
      await this.#looking
      await recorder.idle()
      if (lease.isHeld()) await releaseAll(db, lease.id, clock.now())
    })()
    await within(STOP_MS, end).catch(() => {})
  }

  /** Until nothing is claimed, under way or unwritten. What is claimed begins at once: for whoever has time stand still. */
  async idle(): Promise<void> {
    const { recorder } = this.#needs
    while (this.#queue.length > 0 || this.#underway > 0) {
      this.#begin(Number.POSITIVE_INFINITY)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await recorder.idle()
  }

  /** Claims what is due. One look at a time. */
  look(): Promise<void> {
    this.#looking ??= this.#look()
      .catch((error) => this.#doubt(error))
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  async #look(): Promise<void> {
    const { db, clock, lease, examiner } = this.#needs
    if (this.#isInDoubt) {
      this.#queue = []
      await lease.abandon()
      this.#isInDoubt = false
    }
    const free = UNDERWAY_MOST - this.#underway - this.#queue.length
    if (this.#isStopping || !lease.isHeld() || free <= 0) return
    if (examiner.isBlind()) return this.#grope()
    const now = clock.now().getTime()
    const late = new Date(now - PUNCTUAL_MS)
    const allowed = this.#pace.allowance(performance.now())
    const { waiting, punctual } = await claimDue(db, {
      node: lease.id,
      late,
      lateFrom: this.#isLookingThrough ? null : this.#lateBefore,
      lateMost: Math.min(free, allowed.waiting),
      until: new Date(now + AHEAD_MS),
      most: Math.min(free, allowed.punctual),
    })
    for (const [n, row] of waiting.entries()) await this.#enqueue(row, now + (n / waiting.length) * LOOK_MS)
    for (const row of punctual) await this.#enqueue(row, row.due_at.getTime())
    this.#queue.sort((a, b) => b.at - a.at)
    this.#beginLater()
    const taken = { waiting: waiting.length, punctual: punctual.length }
    this.#isLookingThrough = this.#pace.took(taken, allowed)
    this.#lateBefore = late
    if (this.#isLookingThrough) this.#pace.learn(await countWaiting(db, late))
  }

  /**
   * Blind, we leave what is due to others, or to later. But a few are tried, always others, because those that we would
   * recognise our network by may be gone themselves.
   */
  async #grope(): Promise<void> {
    const { db, clock, lease } = this.#needs
    const now = clock.now()
    const { waiting } = await claimDue(db, {
      node: lease.id,
      late: now,
      lateFrom: this.#groped,
      lateMost: GROPE_MOST,
      until: now,
      most: 0,
    })
    for (const row of waiting) await this.#enqueue(row, now.getTime())
    this.#beginLater()
    this.#groped = waiting.length === 0 ? null : new Date(Math.max(...waiting.map(({ due_at }) => due_at.getTime())))
    this.#isLookingThrough = true
  }

  async #enqueue(row: ClaimedRow, at: number): Promise<void> {
    const { log, secret } = this.#needs
    try {
      this.#queue.push({ claimed: claimedOf(row, secret), at })
    } catch (error) {
      log.error({ err: error, monitor: row.id }, 'a monitor cannot be read')
      const claimed = { userId: row.user_id, monitorId: row.id, claim: row.claim, node: row.claimed_by }
      await this.#giveUp(
        claimed,
        row.interval_seconds * 1000,
        'Its headers cannot be decrypted: was BELFRY_SECRET changed?',
      )
    }
  }

  #beginLater(): void {
    if (this.#queue.length === 0 || this.#beginTimer !== undefined) return
    this.#beginTimer = setTimeout(() => {
      this.#beginTimer = undefined
      this.#begin()
      this.#beginLater()
    }, BEGIN_EVERY_MS)
  }

  #begin(now = this.#needs.clock.now().getTime()): void {
    for (;;) {
      const next = this.#queue.at(-1)
      if (next === undefined || next.at > now || this.#isStopping) return
      this.#queue.pop()
      this.#underway++
      this.#check(next.claimed)
        .catch((error) => this.#doubt(error))
        .finally(() => {
          this.#underway--
        })
    }
  }

  async #check(claimed: Claimed): Promise<void> {
    const { db, clock, examiner, metrics, recorder } = this.#needs
    const lateMs = clock.now().getTime() - claimed.due.getTime()
    const outcome = await examiner.examine(claimed.target, claimed)
    if (this.#isStopping) return
    if ('finding' in outcome) {
      metrics.countCheck(outcome.finding.failure === null ? 'ok' : 'failed', lateMs)
      recorder.add(resultOf(claimed, outcome, outcome.finding))
    } else if ('unable' in outcome) {
      metrics.countCheck('unable', lateMs)
      await this.#giveUp(claimed, claimed.intervalMs, outcome.unable)
    } else {
      metrics.countCheck('unknown', lateMs)
      await releaseClaim(db, claimed, new Date(clock.now().getTime() + Math.min(claimed.intervalMs, UNKNOWN_PAUSE_MS)))
    }
  }

  async #giveUp(claimed: Holding, intervalMs: number, reason: string): Promise<void> {
    const { db, clock } = this.#needs
    const now = clock.now()
    const due = new Date(nextDue(claimed.monitorId, intervalMs, { due: now.getTime(), now: now.getTime() }))
    await releaseClaim(db, claimed, due, reason)
  }

  async #reap(): Promise<void> {
    const { db, clock, log } = this.#needs
    try {
      const monitors = await takeFromDead(db, clock.now())
      if (monitors > 0) log.warn({ monitors }, 'taken over from a process that is gone')
      this.#isLookingThrough = true
    } catch (error) {
      this.#doubt(error)
    }
  }

  #doubt(error: unknown): void {
    const { log } = this.#needs
    // Once is enough: this is heard several times a second.
    if (this.#isInDoubt) return
    this.#isInDoubt = true
    if (isAway(error)) log.warn({ reason: (error as Error).message }, 'nothing is checked until the database is back')
    else log.error({ err: error }, 'checking failed')
  }
}
