/**
 * Evaluates heartbeats. Sends nothing over the network: the beats in the database show whether one is missing. Checks that start
 * together share one query.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { evaluateHeartbeat, type HeartbeatEvaluation, type ReceivingOutage } from '../../heartbeats/evaluate.ts'
import { findLastOutage } from '../../heartbeats/outage-store.ts'
import { toBeatSchedule } from '../../heartbeats/schedule.ts'
import { MAX_WAITING_BEATS, readHeartbeats, type StoredHeartbeat } from '../../heartbeats/store.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Queries } from '../../storage/transaction.ts'
import { createFailure } from './failure.ts'
import {
  emptyResult,
  type HeartbeatTarget,
  type Inconclusive,
  type ProbeResult,
  toResponseMs,
  type Unchanged,
} from './probe.ts'

interface Deps {
  clock: Clock
  db: Queries
  /** The time zone of cron expressions that name none. */
  timeZone: string
}

type Outcome = ProbeResult | Unchanged | Inconclusive

interface WaitingCheck {
  teamId: number
  monitorId: number
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/**
 * Finding the next time of a cron expression takes 0.3 ms, and many monitors are due in the same minute. After this time, the probe lets
 * waiting requests run.
 */
const MAX_BLOCKING_MS = 10

export function openHeartbeatProbe({ clock, db, timeZone }: Deps): {
  check(target: HeartbeatTarget): Promise<Outcome>
} {
  let waitingChecks: WaitingCheck[] = []

  async function runBatch(): Promise<void> {
    const batch = waitingChecks
    waitingChecks = []
    try {
      const heartbeats = new Map((await readHeartbeats(db, batch)).map((heartbeat) => [heartbeat.monitorId, heartbeat]))
      const evaluateAll = async (lastOutage: ReceivingOutage | null) => {
        const outcomes: Outcome[] = []
        let blockedSince = performance.now()
        for (const { monitorId } of batch) {
          outcomes.push(evaluate(heartbeats.get(monitorId), lastOutage))
          if (performance.now() - blockedSince < MAX_BLOCKING_MS) continue
          await yieldToEventLoop()
          blockedSince = performance.now()
        }
        return outcomes
      }
      const outcomes = await evaluateAll(null)
      // Most checks find no missing beat. Only if one is missing, read when Belfry could not receive beats, and
      // evaluate the batch again.
      const finalOutcomes = outcomes.some(isMissed) ? await evaluateAll(await findLastOutage(db)) : outcomes
      for (const [index, { resolve }] of batch.entries()) resolve(finalOutcomes[index] as Outcome)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function evaluate(heartbeat: StoredHeartbeat | undefined, lastOutage: ReceivingOutage | null): Outcome {
    if (heartbeat === undefined) return { inconclusive: 'The heartbeat was deleted' }
    const { status, options, waitingBeats, waitingSince } = heartbeat
    if (status === 'paused') return { inconclusive: 'The heartbeat is paused, so its beats are ignored' }
    const now = clock.now()
    const state = { ...heartbeat, status, waitingSince: waitingSince ?? now }
    const schedule = toBeatSchedule(options, timeZone)
    const evaluation = evaluateHeartbeat(state, { schedule, waitingBeats, now, lastOutage })
    const hasMoreBeats = waitingBeats.length === MAX_WAITING_BEATS
    return toOutcome(hasMoreBeats ? { ...evaluation, nextDueAt: now } : evaluation)
  }

  return {
    check({ teamId, monitorId }) {
      if (monitorId === null) return Promise.resolve({ inconclusive: 'The heartbeat is not saved yet' })
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
      waitingChecks.push({ teamId, monitorId, resolve, reject })
      if (waitingChecks.length === 1) setImmediate(() => void runBatch())
      return promise
    },
  }
}

const isMissed = (outcome: Outcome) => 'failure' in outcome && outcome.failure?.cause === 'heartbeat_missed'

function toOutcome({ result, ...update }: HeartbeatEvaluation): ProbeResult | Unchanged {
  if (result.kind === 'unchanged') return { unchanged: result.detail, nextDueAt: update.nextDueAt, heartbeat: update }
  const responseMs = toResponseMs(result.responseMs)
  const failure = result.kind === 'failed' ? createFailure(result.cause, result.detail) : null
  return { ...emptyResult, failure, responseMs, heartbeat: update }
}
