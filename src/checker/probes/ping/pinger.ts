/** Pings addresses with fping or ping, whichever is available. */
import { ConcurrencyLimiter } from '../../../lib/concurrency-limiter.ts'
import type { Inconclusive } from '../probe.ts'
import { type PingCommand, type PingCommandResult, runCommand } from './commands.ts'
import { PINGS_PER_CHECK, type PingPlan } from './plan.ts'
import { type PingReplies, parseFping, parsePing } from './replies.ts'

/**
 * Pings one address with fping or ping. fping starts at once. ping handles one address per process, and the number of
 * its processes is limited, so an address may have to wait. After the wait, `canStart` says whether enough time remains.
 */
export type Pinger = (address: string, plan: PingPlan, canStart: () => boolean) => Promise<PingReplies | Inconclusive>

/** One fping process pings all addresses that arrive within this time. */
const BATCH_WINDOW_MS = 50
/** Limits the load on the machine, because each ping process handles only one address, unlike fping. */
const MAX_PING_PROCESSES = 30

/** A process that exceeds its expected duration by this much is killed. */
const KILL_GRACE_MS = 2_000

export const TOO_BUSY_MESSAGE = 'The Belfry server was too busy to ping in time'

export const formatPingProblem = (reason: string) => `The Belfry server can't ping: ${reason}`

type RunPingCommand = (args: string[], plan: PingPlan) => Promise<PingCommandResult>

export function openPinger({ command, file }: PingCommand, signal: AbortSignal): Pinger {
  const run: RunPingCommand = (args, { periodMs, waitMs, maxAddresses }) =>
    runCommand(file, args, periodMs * PINGS_PER_CHECK + waitMs + maxAddresses + KILL_GRACE_MS, signal)
  return command === 'fping' ? createFpingPinger(run) : createPingPinger(run)
}

function createFpingPinger(run: RunPingCommand): Pinger {
  type Batch = Map<string, PromiseWithResolvers<PingReplies | Inconclusive>>
  const openBatches = new Map<PingPlan, Batch>()

  async function send(plan: PingPlan, batch: Batch): Promise<void> {
    if (openBatches.get(plan) === batch) openBatches.delete(plan)
    const timeArgs = ['-i', '1', '-p', String(plan.periodMs), '-t', String(plan.waitMs)]
    const args = ['-C', String(PINGS_PER_CHECK), '-q', '-B', '1', '-r', '0', ...timeArgs, ...batch.keys()]
    const { code, stderr, errorLine } = await run(args, plan)
    const replies = parseFping(stderr)
    // fping exits with 3 or more if it could not start at all.
    const hasRun = code !== null && code <= 2
    for (const [address, { resolve }] of batch)
      resolve((hasRun && replies.get(address)) || { inconclusive: formatPingProblem(`fping reports: ${errorLine}`) })
  }

  function openBatch(plan: PingPlan): Batch {
    const batch: Batch = new Map()
    openBatches.set(plan, batch)
    setTimeout(() => {
      // A full batch has been sent already.
      if (batch.size < plan.maxAddresses) void send(plan, batch)
    }, BATCH_WINDOW_MS)
    return batch
  }

  return (address, plan) => {
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
  const limiter = new ConcurrencyLimiter(MAX_PING_PROCESSES)
  return (address, plan, canStart) =>
    limiter.run(Symbol(address), async () => {
      if (!canStart()) return { inconclusive: TOO_BUSY_MESSAGE }
      const period = String(plan.periodMs / 1000)
      const wait = String(Math.ceil(plan.waitMs / 1000))
      const args = ['-q', '-c', String(PINGS_PER_CHECK), '-i', period, '-W', wait, address]
      const { stdout, stderr, errorLine } = await run(args, plan)
      const replies = parsePing(stdout)
      if (replies !== undefined) return replies
      const isUnreachable = /unreachable|no route|cannot assign/i.test(stderr)
      if (isUnreachable) return { sent: PINGS_PER_CHECK, received: 0, meanMs: null }
      return { inconclusive: formatPingProblem(`ping reports: ${errorLine}`) }
    })
}
