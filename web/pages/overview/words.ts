/** What the overview says in sentences. */
import type { MonitorStatus } from '../../../src/monitors/schema.ts'
import { formatNumber } from '../../lib/format.ts'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'

export interface Counts extends Record<MonitorStatus, number> {
  visitors: number
}

export function countAll(websites: readonly OverviewWebsite[], monitors: readonly OverviewMonitor[]): Counts {
  const counts = { up: 0, down: 0, pending: 0, paused: 0, visitors: 0 }
  for (const { status } of monitors) counts[status] += 1
  for (const { visitors_now } of websites) counts.visitors += visitors_now
  return counts
}

/** How many it found, by name; the rest as numbers. */
const NAMED = 3

type Named = Pick<OverviewMonitor, 'id' | 'friendly_name' | 'status'>

/** For whoever does not see it: what went down and what came back since `before`; empty where nothing did. */
export function tellChanges(before: ReadonlyMap<number, MonitorStatus>, monitors: readonly Named[]): string {
  const down = monitors.filter(({ id, status }) => status === 'down' && isOther(before.get(id), 'down'))
  const back = monitors.filter(({ id, status }) => status === 'up' && before.get(id) === 'down')
  return [tell(down, 'is down', 'monitors went down'), tell(back, 'is up again', 'monitors are up again')]
    .filter(Boolean)
    .join(' ')
}

/** One that was not there before has not changed. */
const isOther = (before: MonitorStatus | undefined, status: MonitorStatus) => before !== undefined && before !== status

function tell(monitors: readonly Named[], one: string, many: string): string {
  if (monitors.length > NAMED) return `${formatNumber(monitors.length)} ${many}.`
  return monitors.map(({ friendly_name }) => `${friendly_name} ${one}.`).join(' ')
}
