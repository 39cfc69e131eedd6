/** The incidents of all monitors of a user: which of them a request lists, and what each record contains. */
import { type Period, parsePeriod } from '../lib/period.ts'
import { notFound } from '../lib/problem.ts'
import type { Cause } from '../shared/causes.ts'
import type { IncidentState } from '../shared/incidents.ts'
import type { Tenant } from '../storage/tenant.ts'
import type { Queries } from '../storage/transaction.ts'
import { toTagKeys } from '../tags/tags.ts'
import {
  countIncidentsByState,
  findIncident,
  findSampleMonitorId,
  type IncidentFilter,
  type IncidentRow,
  readIncidentPage,
} from './list-store.ts'
import { divideIncidentPage, type IncidentCounts } from './page-parts.ts'
import type { AccountIncidentRecord } from './schema.ts'
import { findWebsitesOfMonitors, listMonitorIdsOfWebsite, type MonitorWebsite } from './website-store.ts'

export interface IncidentListQuery {
  state?: IncidentState
  cause?: Cause
  tag?: readonly string[]
  monitor_id?: number
  website_id?: number
  is_sample?: boolean
  from?: string
  to?: string
}

/** Reads from one snapshot, so that the records and the counts agree. */
export function listAccountIncidents(
  tenant: Tenant,
  query: IncidentListQuery,
  { page, timeZone, now }: { page: { limit: number; offset: number }; timeZone: string; now: Date },
): Promise<{ records: AccountIncidentRecord[]; counts: IncidentCounts }> {
  const period = parsePeriod(query, timeZone)
  return tenant.snapshot(async (q) => {
    const sampleMonitorId = await findSampleMonitorId(q)
    const filter = await createFilter(q, query, { ...period, sampleMonitorId })
    const counts = await countIncidentsByState(q, filter, sampleMonitorId)
    const parts = divideIncidentPage(counts, query.state, page)
    const rows = await readIncidentPage(q, { filter, parts, now })
    return { records: await addWebsites(q, rows), counts }
  })
}

/** Call this in a transaction or a snapshot. */
export async function getAccountIncident(q: Queries, id: number, now: Date): Promise<AccountIncidentRecord> {
  const row = await findIncident(q, id, now)
  if (row === undefined) throw notFound()
  return (await addWebsites(q, [row]))[0] as AccountIncidentRecord
}

async function createFilter(
  q: Queries,
  { cause, tag, monitor_id, website_id, is_sample }: IncidentListQuery,
  { sampleMonitorId, ...period }: Period & { sampleMonitorId: number | undefined },
): Promise<IncidentFilter> {
  const sampleMonitorIds = sampleMonitorId === undefined ? [] : [sampleMonitorId]
  const idLists = [
    monitor_id === undefined ? undefined : [monitor_id],
    website_id === undefined ? undefined : await listMonitorIdsOfWebsite(q, website_id),
    is_sample === true ? sampleMonitorIds : undefined,
  ].filter((ids) => ids !== undefined)
  return {
    cause: cause ?? null,
    monitorIds: idLists.length === 0 ? null : idLists.reduce((ids, others) => ids.filter((id) => others.includes(id))),
    excludedMonitorIds: is_sample === false && sampleMonitorIds.length > 0 ? sampleMonitorIds : null,
    tagKeys: tag === undefined ? null : toTagKeys(tag),
    ...period,
  }
}

async function addWebsites(q: Queries, rows: readonly IncidentRow[]): Promise<AccountIncidentRecord[]> {
  const monitors = rows.map(({ monitor, website_id }) => ({ ...monitor, websiteId: website_id }))
  const websites = await findWebsitesOfMonitors(q, monitors)
  return rows.map((row, index) => toRecord(row, websites[index]))
}

const toRecord = ({ website_id: _, ...row }: IncidentRow, website?: MonitorWebsite): AccountIncidentRecord => ({
  ...row,
  website: website ? { id: website.id, domain: website.domain, name: website.unicode ?? website.domain } : null,
})
