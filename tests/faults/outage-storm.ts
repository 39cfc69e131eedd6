/** Monitors go down and recover at random times while nodes are killed. */
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerProcess } from '../cli/support.ts'
import type { CheckTarget } from './check-target.ts'
import { type Belfry, kill } from './support.ts'

/** Monitors start to fail within this time after the start of a round. */
const FAIL_WITHIN_MS = 3_000
/** A node is killed within this time after the start of a round. */
const MAX_KILL_DELAY_MS = 8_000
/** Long enough for the interval, a retry, and the expiry of a lease, both when going down and when recovering. */
const MAX_ROUND_MS = 60_000
/** The share of rounds that kill all nodes. */
const KILL_ALL_SHARE = 0.25

export interface StormMonitor {
  id: number
  name: string
  /** How often the storm has made this monitor fail. */
  outageCount: number
}

export interface OutageStorm {
  belfry: Belfry
  target: CheckTarget
  nodes: ServerProcess[]
  monitors: StormMonitor[]
  random: () => number
  /** Epoch milliseconds. */
  killTimes: number[]
}

export async function runOutageRound(storm: OutageStorm): Promise<void> {
  await Promise.all([failSomeMonitors(storm), killSomeNodes(storm)])
}

async function killSomeNodes({ belfry, nodes, random, killTimes }: OutageStorm): Promise<void> {
  const randomNode = Math.floor(random() * nodes.length)
  const killedIndexes = random() < KILL_ALL_SHARE ? [...nodes.keys()] : [randomNode]
  await pause(random() * MAX_KILL_DELAY_MS)
  const killed = killedIndexes.map(async (n) => {
    const node = nodes[n] as ServerProcess
    if (node.hasEnded()) throw new Error(`a node ended unexpectedly:\n${node.output()}`)
    killTimes.push(Date.now())
    await kill(node)
    nodes[n] = await belfry.start()
  })
  await Promise.all(killed)
}

/** Takes most monitors down once, and waits until Belfry has noticed their recovery. */
async function failSomeMonitors({ belfry, target, monitors, random }: OutageStorm): Promise<void> {
  const chosen = monitors.filter(() => random() < 0.8)
  const now = performance.now()
  const startTimes = new Map(chosen.map((monitor) => [monitor, now + random() * FAIL_WITHIN_MS]))
  const failing = new Set<StormMonitor>()
  const recovering = new Set<StormMonitor>()
  const end = now + MAX_ROUND_MS
  while (startTimes.size + failing.size + recovering.size > 0) {
    if (performance.now() > end) {
      const names = (monitors: Set<StormMonitor>) => [...monitors].map(({ name }) => name).join(', ') || 'none'
      throw new Error(
        `a round did not end: no incident opened for ${names(failing)}; none resolved for ${names(recovering)}`,
      )
    }
    for (const [monitor, at] of startTimes) {
      if (at > performance.now()) continue
      startTimes.delete(monitor)
      monitor.outageCount++
      target.fail(monitor.name)
      failing.add(monitor)
    }
    const open = await findMonitorsWithIncident(belfry)
    for (const monitor of recovering) if (!open.has(monitor.id)) recovering.delete(monitor)
    for (const monitor of failing) {
      if (!open.has(monitor.id)) continue
      target.recover(monitor.name)
      failing.delete(monitor)
      recovering.add(monitor)
    }
    await pause(50)
  }
}

async function findMonitorsWithIncident({ query }: Belfry): Promise<Set<number>> {
  const open = await query<{ id: number }>('select monitor_id::float8 as id from incidents where resolved_at is null')
  return new Set(open.map(({ id }) => id))
}
