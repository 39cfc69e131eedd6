/** What somebody wants to try out before it is saved. */
import { invalid } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { settingsOf } from '../monitors/record.ts'
import { changeSettings, readSettings, type Settings } from '../monitors/settings.ts'
import { findMonitor } from '../monitors/store.ts'
import type { Queries } from '../storage/client.ts'
import type { TryMonitor } from './schema.ts'

interface Means {
  db: Queries
  secret: Secret
}

/** Whoever changes a monitor has only the ends of its headers, and the rest comes from what is kept. */
export async function readTried({ db, secret }: Means, input: TryMonitor): Promise<Settings> {
  const { monitor_id: monitorId, ...fields } = input
  if (monitorId === undefined) return readNew(fields)
  const row = await findMonitor(db, monitorId)
  if (row === undefined) throw invalid({ monitor_id: ['The monitor_id is not one of your monitors.'] })
  return changeSettings(settingsOf(row, secret), fields)
}

function readNew({ url, ...fields }: Omit<TryMonitor, 'monitor_id'>): Settings {
  if (url === undefined) throw invalid({ url: ['The url is required.'] })
  return readSettings({ friendly_name: 'Untitled', url, ...fields })
}
