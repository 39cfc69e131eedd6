/** Pings addresses with fping or ping, whichever is available. */
import { waitAtMost } from '../../../lib/clock.ts'
import { FairWorkQueue } from '../fair-work-queue.ts'
import type { Inconclusive } from '../probe.ts'
import { type PingCommand, type PingCommandResult, runCommand } from './commands.ts'
import { findPingPlan, PINGS_PER_CHECK, type PingPlan } from './plan.ts'
import { type PingReplies, parseFping, parsePing } from './replies.ts'

interface PingOptions {
  /** A plan that fits into the time that remains until the timeout of the check. */
  plan: PingPlan
  teamId: number
  /** The time that remains until the timeout of the check. */
  getRemainingMs(): number
}

/** Pings one address with fping or ping. */
export type Pinger = (address: string, options: PingOptions) => Promise<PingReplies | Inconclusive>

/** Limits the load on the machine, because a ping process pings only one address, unlike fping. */
const MAX_PING_PROCESSES = 30

/** A process that exceeds its expected duration by this much is killed. */
const KILL_GRACE_MS = 1_000

const noReply: PingReplies = { sent: PINGS_PER_CHECK, received: 0, meanMs: null }
const TOO_BUSY_MESSAGE = 'The Belfry server was too busy to ping in time'

export const formatPingProblem = (reason: string) => `The Belfry server can't ping: ${reason}`

type RunPingCommand = (args: string[], plan: PingPlan) => Promise<PingCommandResult>

export function openPinger({ command, file }: PingCommand, signal: AbortSignal): Pinger {
  const run: RunPingCommand = (args, { periodMs, waitMs, maxAddresses }) =>
    runCommand(file, args, periodMs * PINGS_PER_CHECK + waitMs + maxAddresses + KILL_GRACE_MS, signal)
  return command === 'fping' ? createFpingPinger(run) : createPingPinger(run)
}

/**
 * fping prints its results when it has pinged all addresses of its batch. According to its plan, it stops waiting for replies
 * before the timeout of the check, so its results are correct even if a busy machine delivers them after the timeout.
 */
function createFpingPinger(run: RunPingCommand): Pinger {
  type Batch = Map<string, PromiseWithResolvers<PingReplies | Inconclusive>>
  const openBatches = new Map<PingPlan, Batch>()

  async function send(plan: PingPlan, batch: Batch): Promise<void> {
    if (openBatches.get(plan) === batch) openBatches.delete(plan)
    const timeArgs = ['-i', '1', '-p', String(plan.periodMs), '-t', String(plan.waitMs)]
    const args = ['-C', String(PINGS_PER_CHECK), '-q', '-B', '1', '-r', '0', ...timeArgs, ...batch.keys()]
    const { code, stderr, errorLine, wasKilled } = await run(args, plan)
    const replies = parseFping(stderr)
    // fping exits with code 3 or more if it could not start at all.
    const hasRun = code !== null && code <= 2
    const problem = wasKilled ? TOO_BUSY_MESSAGE : formatPingProblem(`fping reports: ${errorLine}`)
    for (const [address, { resolve }] of batch) resolve((hasRun && replies.get(address)) || { inconclusive: problem })
  }

  function openBatch(plan: PingPlan): Batch {
    const batch: Batch = new Map()
    openBatches.set(plan, batch)
    setTimeout(() => {
      // A full batch has been sent already.
      if (batch.size < plan.maxAddresses) void send(plan, batch)
    }, plan.batchWindowMs)
    return batch
  }

  return (address, { plan }) => {
    const batch = openBatches.get(plan) ?? openBatch(plan)
    const pendingPing = batch.get(address)
    if (pendingPing !== undefined) return pendingPing.promise
    const newPing = Promise.withResolvers<PingReplies | Inconclusive>()
    batch.set(address, newPing)
    if (batch.size === plan.maxAddresses) void send(plan, batch)
    return newPing.promise
  }
}

function createPingPinger(run: RunPingCommand): Pinger {
  const queue = new FairWorkQueue(MAX_PING_PROCESSES)
  return async (address, { teamId, getRemainingMs }) => {
    let hasStarted = false
    const repliesPromise = queue.run(teamId, async () => {
      // After waiting for other processes, only a shorter plan may fit.
      const plan = findPingPlan(getRemainingMs())
      if (plan === undefined) return { inconclusive: TOO_BUSY_MESSAGE }
      hasStarted = true
      return pingOnce(run, address, plan)
    })
    // ping rounds its waiting time up to whole seconds, so the timeout may come first. Then there was no reply.
    return (
      (await waitAtMost(getRemainingMs(), repliesPromise)) ??
      (hasStarted ? noReply : { inconclusive: TOO_BUSY_MESSAGE })
    )
  }
}

async function pingOnce(run: RunPingCommand, address: string, plan: PingPlan): Promise<PingReplies | Inconclusive> {
  const period = String(plan.periodMs / 1000)
  const wait = String(Math.ceil(plan.waitMs / 1000))
  const args = ['-q', '-c', String(PINGS_PER_CHECK), '-i', period, '-W', wait, address]
  const { stdout, stderr, errorLine } = await run(args, plan)
  const replies = parsePing(stdout)
  if (replies !== undefined) return replies
  const isUnreachable = /unreachable|no route|cannot assign/i.test(stderr)
  return isUnreachable ? noReply : { inconclusive: formatPingProblem(`ping reports: ${errorLine}`) }
}
