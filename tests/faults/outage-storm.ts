/** Monitors that fall and rise, each at its own time, while nodes are killed. */
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerProcess } from '../cli/support.ts'
import { type Belfry, kill } from './support.ts'
import type { CheckTarget } from './check-target.ts'

/** Within so long of a round's beginning monitors begin to fail, and a node is killed. */
const BEGIN_WITHIN_MS = 3_000
const KILL_WITHIN_MS = 8_000
/** What takes longer has been lost. Interval, retry, lease, reaping, and all that once more for the way up. */
const ROUND_MOST_MS = 60_000
/** Of rounds in which nobody is left for a while. */
const ALL_SHARE = 0.25

export interface StormMonitor {
  id: number
  name: string
  /** How often it was made to fail. */
  outageCount: number
}

export interface OutageStorm {
  belfry: Belfry
  target: CheckTarget
  nodes: ServerProcess[]
  monitors: StormMonitor[]
  random: () => number
  /** When, in epoch milliseconds. */
  killTimes: number[]
}

export async function runOutageRound(storm: OutageStorm): Promise<void> {
  await Promise.all([flipSome(storm), killSome(storm)])
}

async function killSome({ belfry, nodes, random, killTimes: kills }: OutageStorm): Promise<void> {
  const first = Math.floor(random() * nodes.length)
  const victims = random() < ALL_SHARE ? [...nodes.keys()] : [first]
  await pause(random() * KILL_WITHIN_MS)
  const killed = victims.map(async (n) => {
    const node = nodes[n] as ServerProcess
    if (node.hasEnded()) throw new Error(`a node ended by itself:\n${node.output()}`)
    killTimes.push(Date.now())
    await kill(node)
    nodes[n] = await belfry.start()
  })
  await Promise.all(killed)
}

/** Some monitors, each down and up again once. */
async function flipSome({ belfry, target, monitors: subjects, random }: OutageStorm): Promise<void> {
  const chosen = monitors.filter(() => random() < 0.8)
  const now = performance.now()
  const begins = new Map(chosen.map((subject) => [subject, now + random() * BEGIN_WITHIN_MS]))
  const failing = new Set<StormMonitor>()
  const rising = new Set<StormMonitor>()
  const end = now + ROUND_MOST_MS
  while (begins.size + failing.size + rising.size > 0) {
    if (performance.now() > end) {
      const names = (some: Set<StormMonitor>) => [...some].map(({ name }) => name).join(', ') || 'none'
      throw new Error(`a round did not end: not noticed down: ${names(failing)}; not noticed up: ${names(rising)}`)
    }
    for (const [subject, at] of begins) {
      if (at > performance.now()) continue
      begins.delete(subject)
      subject.failed++
      target.fail(subject.name)
      failing.add(subject)
    }
    const open = await findOpen(belfry)
    for (const subject of rising) if (!open.has(subject.id)) rising.delete(subject)
    for (const subject of failing) {
      if (!open.has(subject.id)) continue
      target.recover(subject.name)
      failing.delete(subject)
      rising.add(subject)
    }
    await pause(50)
  }
}

async function findOpen({ query: rows }: Belfry): Promise<Set<number>> {
  const open = await query<{ id: number }>('select monitor_id::float8 as id from incidents where resolved_at is null')
  return new Set(open.map(({ id }) => id))
}
