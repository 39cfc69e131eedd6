/** What pings: addresses go in, replies come out, or what keeps this machine from it. */
import { Turns } from '../../../lib/turns.ts'
import type { Unknown } from '../probe.ts'
import { type Ended, type PingCommand, runCommand } from './commands.ts'
import { PINGS, type Plan } from './plan.ts'
import { parseFping, parsePing, type Replies } from './replies.ts'

/** Asks `begins` where it had to wait for its turn: whoever has waited too long says no. */
export type Pinger = (address: string, plan: Plan, begins: () => boolean) => Promise<Replies | Unknown>

/** Whoever comes within this time goes along. */
const GATHER_MS = 50
/** Processes at a time, where there is one for every address. */
const AT_ONCE = 30

/** A process is killed after this much more than it needs. */
const SPARE_MS = 2_000

export const TOO_BUSY = 'This server was too busy to ping in time'

export const cannotPing = (why: string) => `This server cannot ping: ${why}`

export function openPinger({ command, file }: PingCommand, signal: AbortSignal): Pinger {
  const run = (args: string[], { periodMs, waitMs, mostAddresses }: Plan) =>
    runCommand(file, args, periodMs * PINGS + waitMs + mostAddresses + SPARE_MS, signal)
  return command === 'fping' ? gather(run) : oneByOne(run)
}

type Run = (args: string[], plan: Plan) => Promise<Ended>

function gather(run: Run): Pinger {
  type Waiting = Map<string, PromiseWithResolvers<Replies | Unknown>>
  const waiting = new Map<Plan, Waiting>()

  async function send(plan: Plan, batch: Waiting): Promise<void> {
    if (waiting.get(plan) === batch) waiting.delete(plan)
    const times = ['-i', '1', '-p', String(plan.periodMs), '-t', String(plan.waitMs)]
    const ended = await run(['-C', String(PINGS), '-q', '-B', '1', '-r', '0', ...times, ...batch.keys()], plan)
    const replies = parseFping(ended.stderr)
    // 3 and more: it could not even begin.
    const isFit = ended.code !== null && ended.code <= 2
    for (const [address, { resolve }] of batch)
      resolve((isFit && replies.get(address)) || { unknown: cannotPing(`fping says: ${ended.complaint}`) })
  }

  return (address, plan) => {
    let batch = waiting.get(plan)
    if (batch === undefined) {
      const made: Waiting = new Map()
      batch = made
      waiting.set(plan, made)
      setTimeout(() => {
        // Otherwise it is on its way already.
        if (made.size < plan.mostAddresses) void send(plan, made)
      }, GATHER_MS)
    }
    const same = batch.get(address)
    if (same !== undefined) return same.promise
    const answer = Promise.withResolvers<Replies | Unknown>()
    batch.set(address, answer)
    if (batch.size === plan.mostAddresses) void send(plan, batch)
    return answer.promise
  }
}

function oneByOne(run: Run): Pinger {
  const turns = new Turns(AT_ONCE)
  return (address, plan, begins) =>
    turns.take(Symbol(address), async () => {
      if (!begins()) return { unknown: TOO_BUSY }
      const period = String(plan.periodMs / 1000)
      const wait = String(Math.ceil(plan.waitMs / 1000))
      const ended = await run(['-q', '-c', String(PINGS), '-i', period, '-W', wait, address], plan)
      const replies = parsePing(ended.stdout)
      if (replies !== undefined) return replies
      // No packet could be sent there at all.
      if (/unreachable|no route|cannot assign/i.test(ended.stderr)) return { sent: PINGS, received: 0, meanMs: null }
      return { unknown: cannotPing(`ping says: ${ended.complaint}`) }
    })
}
