/** Monitors go down and recover at random times while nodes are killed. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '../cli/support.ts'
import type { CheckTarget } from './check-target.ts'
import { BACKGROUND_ROLES, type Belfry, kill } from './support.ts'
import type { WebhookReceiver } from './webhook-receiver.ts'

/** Monitors start to fail within this time after the start of a round. */
const MAX_FAIL_DELAY_MS = 3_000
/** A node is killed within this time after the start of a round. */
const MAX_KILL_DELAY_MS = 8_000
/**
 * A monitor goes down and recovers within a round. For each of the two changes, Belfry may need an interval, a retry and the
 * expiry of a lease.
 */
const MAX_ROUND_MS = 60_000
const POLL_INTERVAL_MS = 200
/** Of this many rounds, the second kills all nodes, and the others kill one. So a test has one round of each kind in `npm test`. */
const ROUND_CYCLE = 4

export interface StormMonitor {
  id: number
  name: string
  /** How often the storm has made this monitor fail. */
  outageCount: number
}

/** Both times are in epoch milliseconds. */
interface Kill {
  from: number
  /** When the node had ended, and the receivers had read every message that it had sent. */
  to: number
}

export interface OutageStorm {
  belfry: Belfry
  target: CheckTarget
  receivers: WebhookReceiver[]
  nodes: ServerProcess[]
  monitors: StormMonitor[]
  random: () => number
  kills: Kill[]
  /** The periods without any running node, in epoch milliseconds. */
  idlePeriods: { from: number; to: number }[]
}

/** `round` counts from 1. */
export async function runOutageRound(storm: OutageStorm, round: number): Promise<void> {
  await Promise.all([failSomeMonitors(storm), killSomeNodes(storm, round)])
}

async function killSomeNodes(storm: OutageStorm, round: number): Promise<void> {
  const { belfry, nodes, receivers, random, kills, idlePeriods } = storm
  const randomIndex = Math.floor(random() * nodes.length)
  const killedIndexes = round % ROUND_CYCLE === 2 ? [...nodes.keys()] : [randomIndex]
  await delay(random() * MAX_KILL_DELAY_MS)
  for (const n of killedIndexes) {
    const node = nodes[n] as ServerProcess
    if (node.hasEnded()) throw new Error(`a node ended unexpectedly:\n${node.output()}`)
  }
  const restarts = killedIndexes.map(async (n) => {
    const from = Date.now()
    await kill(nodes[n] as ServerProcess)
    const endedAt = Date.now()
    await Promise.all(receivers.map((receiver) => receiver.waitUntilRead()))
    kills.push({ from, to: Date.now() })
    nodes[n] = await belfry.start({ BELFRY_ROLES: BACKGROUND_ROLES })
    return { endedAt, restartedAt: Date.now() }
  })
  const results = await Promise.all(restarts)
  if (results.length < nodes.length) return
  idlePeriods.push({
    from: Math.max(...results.map(({ endedAt }) => endedAt)),
    to: Math.min(...results.map(({ restartedAt }) => restartedAt)),
  })
}

/** Takes most monitors down once, and waits until Belfry has noticed their recovery. */
async function failSomeMonitors({ belfry, target, monitors, random }: OutageStorm): Promise<void> {
  const chosenMonitors = monitors.filter(() => random() < 0.8)
  const now = performance.now()
  const failTimes = new Map(chosenMonitors.map((monitor) => [monitor, now + random() * MAX_FAIL_DELAY_MS]))
  const failingMonitors = new Set<StormMonitor>()
  const recoveringMonitors = new Set<StormMonitor>()
  const endsAt = now + MAX_ROUND_MS
  while (failTimes.size + failingMonitors.size + recoveringMonitors.size > 0) {
    if (performance.now() > endsAt) {
      const joinNames = (monitors: Set<StormMonitor>) => [...monitors].map(({ name }) => name).join(', ') || 'none'
      throw new Error(
        `a round did not end: no incident opened for ${joinNames(failingMonitors)}; none resolved for ${joinNames(recoveringMonitors)}`,
      )
    }
    for (const [monitor, failsAt] of failTimes) {
      if (failsAt > performance.now()) continue
      failTimes.delete(monitor)
      monitor.outageCount++
      target.fail(monitor.name)
      failingMonitors.add(monitor)
    }
    const idsWithIncident = await findMonitorsWithIncident(belfry)
    for (const monitor of recoveringMonitors) if (!idsWithIncident.has(monitor.id)) recoveringMonitors.delete(monitor)
    for (const monitor of failingMonitors) {
      if (!idsWithIncident.has(monitor.id)) continue
      target.recover(monitor.name)
      failingMonitors.delete(monitor)
      recoveringMonitors.add(monitor)
    }
    await delay(POLL_INTERVAL_MS)
  }
}

async function findMonitorsWithIncident({ query }: Belfry): Promise<Set<number>> {
  const openIncidents = await query<{ id: number }>(
    'select monitor_id::float8 as id from incidents where resolved_at is null',
  )
  return new Set(openIncidents.map(({ id }) => id))
}
