/** Notices when alerts are not sent because of Belfry or its database. Receivers that fail don't count: only their owners can fix them. */
import type { Logger } from 'pino'
import { addMs, type Clock } from '../lib/clock.ts'
import type { OngoingFailure } from '../outbox/ongoing-failures.ts'
import { MINUTE_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import { findOverdueAlerts } from './overdue-store.ts'

/** Shorter delays are not reported, because restarts, failovers and short outages of the database cause them. */
export const MAX_DELIVERY_DELAY_MS = MINUTE_MS

export interface DeliveryFacts {
  /** The operations of this node's outboxes that keep failing. */
  failures: readonly OngoingFailure[]
  /** Alerts that are due and that no node has begun to send. */
  overdue: { channelCount: number; forMs: number }
}

export interface DeliveryProblem {
  /** Says what is wrong and what to do. Anyone can read it at /readyz, so it contains no error messages. */
  sentence: string
  reason?: string
}

/** A failing outbox is reported rather than the overdue alerts, because it is their cause. */
export function findDeliveryProblem({ failures, overdue }: DeliveryFacts): DeliveryProblem | undefined {
  const failure = failures.toSorted((a, b) => b.forMs - a.forMs)[0]
  if (failure !== undefined && failure.forMs >= MAX_DELIVERY_DELAY_MS) {
    const { problem, reason } = failure
    return {
      sentence: `For over a minute, this node ${problem}. Check the load and the log of PostgreSQL, and the log of this node.`,
      reason,
    }
  }
  if (overdue.channelCount > 0 && overdue.forMs >= MAX_DELIVERY_DELAY_MS)
    return { sentence: describeOverdueAlerts(overdue.channelCount) }
  return undefined
}

function describeOverdueAlerts(channelCount: number): string {
  const channels = channelCount === 1 ? 'one notification channel' : `${channelCount} notification channels`
  return `Alerts for ${channels} have been due for over a minute, and no node has begun to send them. Check the load and the logs of the nodes with the role worker, and of PostgreSQL.`
}

export interface DeliveryHealthDeps {
  clock: Clock
  db: Database
  log: Logger
  /** Lists the operations of this process's outboxes that keep failing. */
  listFailures(): readonly OngoingFailure[]
}

export class DeliveryHealth {
  readonly #deps: DeliveryHealthDeps
  /**
   * The time of this node's first successful lookup after the last failed one. After an outage of the database, overdue
   * alerts count from this time on.
   */
  #lookingSince: Date | undefined
  #overdue: DeliveryFacts['overdue'] | undefined
  #problem: DeliveryProblem | undefined
  #failingSince: Date | undefined
  #lastCheck: Promise<void> = Promise.resolve()

  constructor(deps: DeliveryHealthDeps) {
    this.#deps = deps
  }

  get degradedReasons(): string[] {
    return this.#problem === undefined ? [] : [this.#problem.sentence]
  }

  /** At the last check, the oldest alert that no node has begun to send had been due for this long. NaN if unknown. */
  get overdueSeconds(): number {
    return this.#overdue === undefined ? Number.NaN : this.#overdue.forMs / 1000
  }

  /**
   * Logs when delivery begins to fail, and when it works again. A background job calls this method. Calls run one after
   * the other.
   */
  check(): Promise<void> {
    const run = () => this.#check()
    this.#lastCheck = this.#lastCheck.then(run, run)
    return this.#lastCheck
  }

  async #check(): Promise<void> {
    this.#overdue = await this.#findOverdue()
    const overdue = this.#overdue ?? { channelCount: 0, forMs: 0 }
    const failures = this.#deps.listFailures()
    const problem = findDeliveryProblem({ failures, overdue })
    // The lookup failed, and no outbox has failed for long, so nothing new is known.
    if (problem === undefined && this.#overdue === undefined) return
    this.#report(problem)
  }

  async #findOverdue(): Promise<DeliveryFacts['overdue'] | undefined> {
    const { db, clock } = this.#deps
    const now = clock.now()
    try {
      const { channelCount, firstDueAt } = await findOverdueAlerts(db, addMs(now, -MAX_DELIVERY_DELAY_MS))
      this.#lookingSince ??= now
      const since = Math.max(firstDueAt?.getTime() ?? now.getTime(), this.#lookingSince.getTime())
      return { channelCount, forMs: Math.max(0, now.getTime() - since) }
    } catch {
      this.#lookingSince = undefined
      return undefined
    }
  }

  #report(problem: DeliveryProblem | undefined): void {
    const { clock, log } = this.#deps
    const wasFailing = this.#problem !== undefined
    this.#problem = problem
    if (problem !== undefined && !wasFailing) {
      this.#failingSince = clock.now()
      const { sentence, ...details } = problem
      log.error(details, `delivery fails: ${sentence}`)
    }
    if (problem === undefined && wasFailing) {
      const seconds = Math.round((clock.now().getTime() - (this.#failingSince?.getTime() ?? 0)) / 1000)
      log.info({ seconds }, 'delivery works again')
    }
  }
}
