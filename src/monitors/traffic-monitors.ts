/** The monitor of type traffic of a website. It exists while the owner has turned on a traffic alert. */
import type { Clock } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import type { MonitorStatus } from '../shared/monitors.ts'
import type { Queries } from '../storage/transaction.ts'
import { applyBulkAction, createMonitor } from './monitors.ts'
import { deleteMonitors } from './store.ts'
import { createTrafficSettings } from './traffic-settings.ts'

interface Deps {
  clock: Clock
  secret: Secret
}

interface WatchedWebsite {
  id: number
  domain: string
}

/** Call this in a transaction that has locked the website, so that two requests don't create two monitors. */
export async function createTrafficMonitor(
  q: Queries,
  teamId: number,
  website: WatchedWebsite,
  deps: Deps,
): Promise<void> {
  const settings = createTrafficSettings(website.domain)
  await createMonitor(q, teamId, { settings, isActive: true, websiteId: website.id }, deps)
}

export async function deleteTrafficMonitor(q: Queries, monitorId: number): Promise<void> {
  await deleteMonitors(q, [monitorId])
}

/** Ends the ongoing incident of a monitor that now watches only for spikes. */
export async function endSilence(
  q: Queries,
  teamId: number,
  { id, status }: { id: number; status: MonitorStatus },
  clock: Clock,
): Promise<void> {
  if (status !== 'down') return
  await applyBulkAction(q, teamId, { ids: [id], action: 'pause' }, clock)
  await applyBulkAction(q, teamId, { ids: [id], action: 'resume' }, clock)
}
