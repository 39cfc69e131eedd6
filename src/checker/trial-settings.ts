/** Reads the settings of a trial check. */
import type { Config } from '../config/config.ts'
import { invalid } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { toMonitorSettings } from '../monitors/record.ts'
import { changeSettings, createSettings, type MonitorSettings } from '../monitors/settings.ts'
import { findMonitor } from '../monitors/store.ts'
import type { MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/transaction.ts'
import type { TryMonitor } from './schema.ts'

interface Deps {
  db: Queries
  secret: Secret
  config: Pick<Config, 'rdapUrl'>
}

/**
 * With `monitor_id`, fields that were not sent keep their saved values. This includes header values, which clients never
 * see in full.
 */
export async function readTrialSettings({ db, secret, config }: Deps, input: TryMonitor): Promise<MonitorSettings> {
  const { monitor_id: monitorId, ...fields } = input
  requireProbedType(fields.type)
  if (monitorId === undefined) return readNewSettings(fields, config.rdapUrl)
  const row = await findMonitor(db, monitorId)
  if (row === undefined) throw invalid({ monitor_id: ['`monitor_id` is not one of your monitors.'] })
  const settings = changeSettings(toMonitorSettings(row, secret), fields, { rdapUrl: config.rdapUrl })
  requireProbedType(settings.type)
  return settings
}

function requireProbedType(type: MonitorType | undefined): void {
  if (type === 'heartbeat') {
    throw invalid({ type: ["A heartbeat can't be tried: save it, and send a beat to its URL instead."] })
  }
  if (type === 'traffic') {
    throw invalid({ type: ["A traffic monitor can't be tried. Replay the traffic alerts of its website instead."] })
  }
}

function readNewSettings(
  { url, ...fields }: Omit<TryMonitor, 'monitor_id'>,
  rdapUrl: string | undefined,
): MonitorSettings {
  if (url === undefined) throw invalid({ url: ['`url` is required.'] })
  return createSettings({ friendly_name: 'Untitled', url, ...fields }, rdapUrl)
}
