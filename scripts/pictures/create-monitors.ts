/** Creates the monitors and their notification channels, with a year of generated checks, outages and messages. */
import { formatDownAlert, formatRecoveryAlert } from '../../src/alerts/message.ts'
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts'
import type { Database } from '../../src/storage/database.ts'
import { seededRandom } from '../../src/traffic/demo/random.ts'
import type { Api } from './api.ts'
import {
  insertAlerts,
  insertBeats,
  insertChecks,
  insertHistory,
  insertResultSums,
  type MonitorState,
  type SampleAlert,
  setMonitorState,
} from './history-store.ts'
import { generateHistory, type MonitorHistory, type SampleIncident } from './monitor-history.ts'
import { addToSum, generateChecks, type ResultSum, type SampleCheck } from './response-times.ts'
import { channels, daysAgo, monitors, now, type SampleChannel, type SampleMonitor } from './sample-data.ts'

const CURRENT_HOUR_START = now.getTime() - (now.getTime() % HOUR_MS)
const CURRENT_DAY_START = now.getTime() - (now.getTime() % DAY_MS)
/** How long the server keeps single checks, and hourly results. */
const CHECK_RETENTION_MS = 26 * HOUR_MS
const HOURLY_RETENTION_MS = 3 * DAY_MS
const LISTED_BEATS = 20

async function insertGeneratedChecks(
  db: Database,
  monitor: SampleMonitor & { id: number },
  history: MonitorHistory,
  seed: number,
) {
  const { id } = monitor
  const hourlySums = new Map<number, ResultSum>()
  const dailySums = new Map<number, ResultSum>()
  const singleChecks: SampleCheck[] = []
  const latestChecks: SampleCheck[] = []
  for (const check of generateChecks(monitor, history, 0, seededRandom(seed, 2))) {
    if (check.at < CURRENT_DAY_START) addToSum(dailySums, DAY_MS, check)
    if (check.at >= CURRENT_DAY_START - HOURLY_RETENTION_MS && check.at < CURRENT_HOUR_START)
      addToSum(hourlySums, HOUR_MS, check)
    if (check.at >= CURRENT_HOUR_START - CHECK_RETENTION_MS) singleChecks.push(check)
    if (check.at >= now.getTime() - LISTED_BEATS * (monitor.intervalSeconds ?? 60) * 1_000) latestChecks.push(check)
  }
  await insertResultSums(db, 'check_days', id, dailySums.values())
  await insertResultSums(db, 'check_hours', id, hourlySums.values())
  await insertChecks(db, { id, type: monitor.type ?? 'http' }, singleChecks)
  if (monitor.type === 'heartbeat') await insertBeats(db, id, latestChecks, monitor.output ?? '')
  return latestChecks.at(-1)
}

const hasExpiry = (type: SampleMonitor['type']) => type === 'tls' || type === 'domain'

function createState(
  monitor: SampleMonitor,
  { monitoredFrom, incidents }: MonitorHistory,
  lastCheck: SampleCheck | undefined,
): MonitorState {
  const { type, downForMinutes, pausedForDays, certificateDays = 74, url } = monitor
  const latestIncident = incidents.at(-1)
  return {
    status: pausedForDays !== undefined ? 'paused' : downForMinutes !== undefined ? 'down' : 'up',
    since:
      pausedForDays !== undefined
        ? daysAgo(pausedForDays)
        : (latestIncident?.resolvedAt ?? latestIncident?.detectedAt ?? monitoredFrom),
    createdAt: monitoredFrom,
    lastCheck,
    expiresAt: url.startsWith('https:') || hasExpiry(type) ? daysAgo(-certificateDays) : null,
  }
}

function createAlerts(
  monitor: SampleMonitor,
  incident: SampleIncident,
  incidentId: number,
  channelId: number,
): SampleAlert[] {
  const { detail, startedAt, detectedAt, resolvedAt } = incident
  const alertContent = {
    friendlyName: monitor.name,
    url: monitor.url,
    type: monitor.type ?? 'http',
    detail,
    since: startedAt,
  }
  const recipient = { incidentId, channelId }
  const downAlert: SampleAlert = { ...recipient, event: 'down', at: detectedAt, ...formatDownAlert(alertContent) }
  if (resolvedAt === null) return [downAlert]
  return [
    downAlert,
    { ...recipient, event: 'recovered', at: resolvedAt, ...formatRecoveryAlert({ ...alertContent, now: resolvedAt }) },
  ]
}

const createChannels = async (api: Api) => {
  const ids = new Map<SampleChannel['name'], number>()
  for (const { name, fields } of channels) ids.set(name, await api.post('/api/providers', { name, ...fields }))
  return ids
}

export async function createMonitors(api: Api, db: Database, reportProgress: (text: string) => void): Promise<void> {
  const channelIdsByName = await createChannels(api)
  for (const [index, monitor] of monitors.entries()) {
    const {
      name,
      url,
      type = 'http',
      options,
      intervalSeconds = 60,
      channels: channelNames = ['Ops channel'],
    } = monitor
    const target = type === 'heartbeat' ? {} : { url, interval: intervalSeconds }
    const id = await api.post('/api/monitors', { friendly_name: name, type, ...target, ...options })
    const channelIds = channelNames.map((name) => channelIdsByName.get(name) as number)
    for (const provider_id of channelIds) await api.post(`/api/monitors/${id}/notifications`, { provider_id })
    const history = generateHistory(monitor, index)
    const incidentIds = await insertHistory(db, id, history)
    const lastCheck = await insertGeneratedChecks(db, { ...monitor, id }, history, index + 1)
    await setMonitorState(db, id, createState(monitor, history, lastCheck))
    const alerts = history.incidents.flatMap((incident, n) =>
      channelIds.flatMap((channel) => createAlerts(monitor, incident, incidentIds[n] as number, channel)),
    )
    await insertAlerts(db, id, alerts)
    reportProgress(`${name}: ${history.incidents.length} outages, ${alerts.length} messages`)
  }
}
