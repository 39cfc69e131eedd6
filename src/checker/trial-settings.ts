/** Reads the settings of a trial check. */
import type { Config } from '../config/config.ts'
import { invalid } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { toMonitorSettings } from '../monitors/record.ts'
import { changeSettings, createSettings, type MonitorSettings } from '../monitors/settings.ts'
import { findMonitor } from '../monitors/store.ts'
import type { Queries } from '../storage/client.ts'
import type { TryMonitor } from './schema.ts'

interface Deps {
  db: Queries
  secret: Secret
  config: Pick<Config, 'rdapUrl'>
}

/**
 * With `monitor_id`, fields that were not sent come from that monitor. This includes header values, which clients never
 * see in full.
 */
export async function readTrialSettings({ db, secret, config }: Deps, input: TryMonitor): Promise<MonitorSettings> {
  const { monitor_id: monitorId, ...fields } = input
  if (fields.type === 'heartbeat') throw heartbeatProblem()
  if (monitorId === undefined) return readNewSettings(fields, config.rdapUrl)
  const row = await findMonitor(db, monitorId)
  if (row === undefined) throw invalid({ monitor_id: ['`monitor_id` is not one of your monitors.'] })
  const settings = changeSettings(toMonitorSettings(row, secret), fields, { rdapUrl: config.rdapUrl })
  if (settings.type === 'heartbeat') throw heartbeatProblem()
  return settings
}

const heartbeatProblem = () =>
  invalid({ type: ["A heartbeat can't be tried: save it, and send a beat to its URL instead."] })

function readNewSettings(
  { url, ...fields }: Omit<TryMonitor, 'monitor_id'>,
  rdapUrl: string | undefined,
): MonitorSettings {
  if (url === undefined) throw invalid({ url: ['`url` is required.'] })
  return createSettings({ friendly_name: 'Untitled', url, ...fields }, rdapUrl)
}
