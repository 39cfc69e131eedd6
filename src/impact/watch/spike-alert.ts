/** Sends an alert when unusually many visitors arrive. */
import { addMs } from '../../lib/clock.ts'
import { localDayAt } from '../../lib/local-day.ts'
import type { SpikeDetails } from '../../shared/spike.ts'
import { HOUR_MS } from '../../shared/time.ts'
import type { Queries } from '../../storage/client.ts'
import type { Spike } from '../silence/spike.ts'
import { formatSpikeAlert } from './spike-text.ts'
import type { WatchState } from './state.ts'
import { insertSpikeAlerts, type Watch } from './store.ts'
import { findTopSource, type TopSource } from './visits-store.ts'

/** The source of visitors who followed no link. */
const DIRECT_SOURCE = 'Direct'

/** Call it after a slot was added. Returns the number of new alerts. */
export async function alertAboutSpike(q: Queries, watch: Watch, state: WatchState, now: Date): Promise<number> {
  const spike = state.findSpike()
  if (spike === undefined) return 0
  const { day } = localDayAt(watch.timeZone, now.getTime())
  if (watch.spikeDay === day) return 0
  const until = new Date(state.knownUntil)
  const since = addMs(until, -HOUR_MS)
  const details = toDetails(spike, await findTopSource(q, watch.id, since, until), since)
  const { friendlyName, monitorUrl: url } = watch
  return insertSpikeAlerts(q, watch, { day, details, ...formatSpikeAlert({ friendlyName, url, details, now }) }, now)
}

function toDetails({ actual, expected }: Spike, top: TopSource | undefined, since: Date): SpikeDetails {
  const isNamed = top !== undefined && top.source !== DIRECT_SOURCE
  const roundedExpected = Number(expected.toFixed(1))
  return {
    visits: actual,
    expected: roundedExpected,
    factor: roundedExpected === 0 ? null : Number((actual / roundedExpected).toFixed(1)),
    source: isNamed ? top.source : null,
    source_visits: isNamed ? top.visits : null,
    since: since.toISOString(),
  }
}
