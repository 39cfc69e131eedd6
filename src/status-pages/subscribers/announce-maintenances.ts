/** Emails subscribers about maintenances, once per maintenance and page: a day before it begins, or immediately if it begins sooner. */
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Database } from '../../storage/database.ts'
import { canSubscribe } from './links.ts'
import { createMaintenanceMessages } from './message-store.ts'

const NOTICE_HOURS = 24

export interface AnnounceMaintenancesDeps {
  db: Database
  clock: Clock
  config: Pick<Config, 'mail' | 'url'>
  /** Called after messages were stored. */
  onMessages(): void
}

export async function announceMaintenances(deps: AnnounceMaintenancesDeps): Promise<void> {
  const { db, clock, config, onMessages } = deps
  if (!canSubscribe(config)) return
  const messageCount = await createMaintenanceMessages(db, clock.now(), NOTICE_HOURS)
  if (messageCount > 0) onMessages()
}
