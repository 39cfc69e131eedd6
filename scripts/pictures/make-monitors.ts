/** Sets up the monitors and whom they tell, and makes up a year of checks, outages and messages. */
import { downMessage, recoveredMessage } from '../../src/alerts/messages.ts'
import type { Database } from '../../src/storage/database.ts'
import { seededRandom } from '../../src/traffic/demo/random.ts'
import type { Api } from './api.ts'
import { ago, DAY_MS, monitors, now, type Teller, tellers, type Watched } from './cast.ts'
import { type MadeIncident, makePast, type Past } from './past.ts'
import {
  insertAlerts,
  insertChecks,
  insertPast,
  insertSums,
  type LastState,
  type MadeAlert,
  setState,
} from './past-store.ts'
import { addUp, type MadeCheck, makeChecks, type Sum } from './response-times.ts'

const HOUR_MS = 3_600_000
const THIS_HOUR = now.getTime() - (now.getTime() % HOUR_MS)
const THIS_DAY = now.getTime() - (now.getTime() % DAY_MS)
/** As long as the server itself keeps them. */
const SINGLE_MS = 26 * HOUR_MS
const HOURS_MS = 3 * DAY_MS

async function makeChecksOf(db: Database, monitor: Watched, id: number, past: Past, seed: number) {
  const hours = new Map<number, Sum>()
  const days = new Map<number, Sum>()
  const single: MadeCheck[] = []
  for (const check of makeChecks(monitor, past, 0, seededRandom(seed, 2))) {
    if (check.at < THIS_DAY) addUp(days, DAY_MS, check)
    if (check.at >= THIS_DAY - HOURS_MS && check.at < THIS_HOUR) addUp(hours, HOUR_MS, check)
    if (check.at >= THIS_HOUR - SINGLE_MS) single.push(check)
  }
  await insertSums(db, 'check_days', id, days.values())
  await insertSums(db, 'check_hours', id, hours.values())
  await insertChecks(db, { id, type: monitor.type ?? 'http' }, single)
  return single.at(-1)
}

function stateOf(monitor: Watched, { watchedFrom, incidents }: Past, last: MadeCheck | undefined): LastState {
  const { downFor, pausedForDays, certificateDays = 74, url } = monitor
  const latest = incidents.at(-1)
  return {
    status: pausedForDays !== undefined ? 'paused' : downFor !== undefined ? 'down' : 'up',
    since: pausedForDays !== undefined ? ago(pausedForDays) : (latest?.resolvedAt ?? latest?.detectedAt ?? watchedFrom),
    createdAt: watchedFrom,
    last,
    tlsExpiresAt: url.startsWith('https:') ? ago(-certificateDays) : null,
  }
}

function alertsOf(monitor: Watched, incident: MadeIncident, incidentId: number, providerId: number): MadeAlert[] {
  const { detail, startedAt, detectedAt, resolvedAt } = incident
  const about = { friendlyName: monitor.name, url: monitor.url, detail, since: startedAt }
  const to = { incidentId, providerId }
  const down: MadeAlert = { ...to, event: 'down', at: detectedAt, ...downMessage(about) }
  if (resolvedAt === null) return [down]
  return [down, { ...to, event: 'recovered', at: resolvedAt, ...recoveredMessage({ ...about, now: resolvedAt }) }]
}

const makeTellers = async (api: Api) => {
  const ids = new Map<Teller['name'], number>()
  for (const { name, fields } of tellers) ids.set(name, await api.post('/api/providers', { name, ...fields }))
  return ids
}

export async function makeMonitors(api: Api, db: Database, onMonitor: (text: string) => void): Promise<void> {
  const providers = await makeTellers(api)
  for (const [index, monitor] of monitors.entries()) {
    const { name, url, type = 'http', interval = 60, tells = ['Ops channel'] } = monitor
    const id = await api.post('/api/monitors', { friendly_name: name, url, type, interval })
    const providerIds = tells.map((teller) => providers.get(teller) as number)
    for (const provider_id of providerIds) await api.post(`/api/monitors/${id}/notifications`, { provider_id })
    const past = makePast(monitor, seededRandom(index + 1, 1))
    const incidentIds = await insertPast(db, id, past)
    const last = await makeChecksOf(db, monitor, id, past, index + 1)
    await setState(db, id, stateOf(monitor, past, last))
    const alerts = past.incidents.flatMap((incident, n) =>
      providerIds.flatMap((provider) => alertsOf(monitor, incident, incidentIds[n] as number, provider)),
    )
    await insertAlerts(db, id, alerts)
    onMonitor(`${name}: ${past.incidents.length} outages, ${alerts.length} messages`)
  }
}
