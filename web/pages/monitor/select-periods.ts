/**
 * Selects the periods of the uptime tiles. All periods that are longer than the monitor's history have the same figures,
 * so only the shortest of them is shown.
 */
import { DAY_MS } from '../../../src/shared/time.ts'
import { type IncidentWindow, incidentWindows, type Uptime, type UptimePeriod } from './queries.ts'

type TilePeriod = UptimePeriod & { period: IncidentWindow }

/** The 90 days have a panel of their own. */
const isTilePeriod = (period: UptimePeriod): period is TilePeriod => period.period !== '90d'

export function selectPeriods({ periods }: Pick<Uptime, 'periods'>, createdAt: string): TilePeriod[] {
  const tilePeriods = periods.filter(isTilePeriod)
  const longest = tilePeriods.at(-1)
  // Without results there is no history yet, and the monitor is as old as its settings.
  const start = longest?.monitored_since ?? (longest?.uptime_percent === null ? createdAt : '')
  return takeUntilCovered(tilePeriods, ({ from }) => from <= start)
}

const windowDays: Record<IncidentWindow, number> = { '24h': 1, '30d': 30, '6mo': 183, '1y': 365 }

/** The windows that the tiles probably have, so that they stay in place when the figures arrive. */
export function listExpectedWindows(createdAt: string, now: Date): IncidentWindow[] {
  const age = now.getTime() - Date.parse(createdAt)
  return takeUntilCovered(incidentWindows, (window) => windowDays[window] * DAY_MS >= age)
}

function takeUntilCovered<T>(items: readonly T[], coversHistory: (item: T) => boolean): T[] {
  const index = items.findIndex(coversHistory)
  return index === -1 ? [...items] : items.slice(0, index + 1)
}
