/** SQL that reads the incidents of all monitors of the caller. */
import { buildIncidentColumnsSql, buildTimestampSql, pageNotesSql } from '../incidents/store.ts'
import type { Cause } from '../shared/causes.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { incidentEndSql } from '../uptime/store.ts'
import type { IncidentCounts, PageParts } from './page-parts.ts'
import type { AccountIncidentRecord } from './schema.ts'

/** null means that the filter is not set. */
export interface IncidentFilter {
  cause: Cause | null
  monitorIds: readonly number[] | null
  /** Incidents of these monitors don't match. */
  excludedMonitorIds: readonly number[] | null
  /** Folded to one case. */
  tagKeys: readonly string[] | null
  from: Date | null
  to: Date | null
}

/** A record that still lacks its website. */
export type IncidentRow = Omit<AccountIncidentRecord, 'website'> & {
  /** Set only for monitors of type traffic. */
  website_id: number | null
}

/**
 * Selects the incidents that match the filter, which are the parameters $1 to $6. Each call has a plan of its own, so PostgreSQL drops
 * the conditions whose parameter is null. `incidentEndSql` has no alias, because an index is defined on it.
 */
const matchesSql = `
  ${OWN_ROWS}
  and ($1::text is null or cause = $1)
  and ($2::bigint[] is null or monitor_id = any ($2))
  and ($3::bigint[] is null or monitor_id <> all ($3))
  and ($4::text[] is null or monitor_id in (select m.id from monitors m where m.${OWN_ROWS} and m.tag_keys @> $4))
  and ($5::timestamptz is null or ${incidentEndSql} > $5)
  and ($6::timestamptz is null or started_at < $6)`

const toFilterValues = ({ cause, monitorIds, excludedMonitorIds, tagKeys, from, to }: IncidentFilter) => [
  cause,
  monitorIds,
  excludedMonitorIds,
  tagKeys,
  from,
  to,
]

/** Returns the id of the sample monitor, or undefined if the caller has none. */
export async function findSampleMonitorId(q: Queries): Promise<number | undefined> {
  const [row] = await q.query<{ id: number }>(
    `select id from monitors where ${OWN_ROWS} and sample_website_id is not null`,
  )
  return row?.id
}

/**
 * Without a filter, the first query needs only an index, and the second one reads only ongoing incidents. With the columns of a filter, the
 * first query reads all incidents of the user, which takes about half a microsecond each. The third query reads only incidents of the
 * sample monitor.
 */
export async function countIncidentsByState(
  q: Queries,
  filter: IncidentFilter,
  sampleMonitorId: number | undefined,
): Promise<IncidentCounts> {
  const values = toFilterValues(filter)
  const [all, open, sample] = await queryWithFreshPlan(
    q,
    { text: `select count(*)::int as total from incidents where ${matchesSql}`, values },
    {
      text: `select count(*)::int as open, count(acknowledged_at)::int as acknowledged
               from incidents
              where ${matchesSql} and resolved_at is null`,
      values,
    },
    {
      text: `select count(*)::int as sample from incidents where ${matchesSql} and monitor_id = $7`,
      values: [...values, sampleMonitorId ?? null],
    },
  )
  const counts = open?.rows[0] as { open: number; acknowledged: number }
  return { ...counts, resolved: all?.rows[0]?.['total'] - counts.open, sample: sample?.rows[0]?.['sample'] }
}

/**
 * Reads one page: ongoing incidents first, and within each part the newest first. `materialized` makes PostgreSQL find ongoing incidents by their
 * own index. It would otherwise search them among all incidents of the user, newest first.
 */
export async function readIncidentPage(
  q: Queries,
  { filter, parts, now }: { filter: IncidentFilter; parts: PageParts; now: Date },
): Promise<IncidentRow[]> {
  const { open, resolved, isOnlyAcknowledged } = parts
  const pageSql = `
    with open_incidents as materialized (
      select id, started_at
        from incidents
       where ${matchesSql} and resolved_at is null and (not $8 or acknowledged_at is not null)
    ), listed as materialized (
      (
        select id
          from open_incidents
         order by started_at desc, id desc
         limit $9 offset $10
      )
      union all
      (
        select id
          from incidents
         where ${matchesSql} and resolved_at is not null
         order by started_at desc, id desc
         limit $11 offset $12
      )
    )
    select * from incidents where ${OWN_ROWS} and id = any (array(select id from listed))`
  const values = [
    ...toFilterValues(filter),
    now,
    isOnlyAcknowledged,
    open.limit,
    open.offset,
    resolved.limit,
    resolved.offset,
  ]
  return readRows(q, { pageSql, nowSql: '$7', values })
}

/** Returns undefined if the caller has no such incident. */
export async function findIncident(q: Queries, id: number, now: Date): Promise<IncidentRow | undefined> {
  const pageSql = `select * from incidents where ${OWN_ROWS} and id = $1`
  return (await readRows(q, { pageSql, nowSql: '$2', values: [id, now] }))[0]
}

/**
 * Completes the incidents that `pageSql` selects. An incident can have thousands of reminders, so the query counts only some of them. The
 * first alert of a channel in the order of the events is the one about the opening (`down`), or else a reminder. Naming the events lets
 * PostgreSQL use alerts_once_key, whose columns are (…, event, incident_id, …), and `offset 0` makes it look up the alerts of each incident.
 */
async function readRows(
  q: Queries,
  { pageSql, nowSql, values }: { pageSql: string; nowSql: string; values: unknown[] },
): Promise<IncidentRow[]> {
  const [result] = await queryWithFreshPlan(q, {
    text: `with page as materialized (
        ${pageSql}
      ), page_notes as (
        ${pageNotesSql}
      ), page_alerts as (
        select i.id as incident_id, a.provider_id,
               (array_agg(a.state order by a.event, a.id desc))[1] as state,
               (array_agg(coalesce(a.last_attempt_at, a.next_attempt_at, a.created_at) order by a.event, a.id desc))[1] as at,
               count(*) filter (where a.event = 'reminder' and a.state = 'sent') as reminders
          from page i
         cross join lateral (
           (
             select id, provider_id, event, state, last_attempt_at, next_attempt_at, created_at
               from alerts
              where user_id = i.user_id and monitor_id = i.monitor_id and event = 'down' and incident_id = i.id
             offset 0
           )
           union all
           (
             select id, provider_id, event, state, last_attempt_at, next_attempt_at, created_at
               from alerts
              where user_id = i.user_id and monitor_id = i.monitor_id and event = 'reminder' and incident_id = i.id
              limit 1000
           )
         ) a
         group by i.id, a.provider_id
      ), page_channels as (
        select a.incident_id,
               json_agg(json_build_object('provider_id', p.id, 'provider_type', p.provider_type, 'provider_name', p.name,
                 'state', a.state, 'at', ${buildTimestampSql('a.at')}, 'reminders', a.reminders) order by p.id) as notified
          from page_alerts a
          join providers p on p.${OWN_ROWS} and p.id = a.provider_id
         group by a.incident_id
      )
      select ${buildIncidentColumnsSql(nowSql)}, coalesce(n.notes, '[]') as notes,
             json_build_object('id', m.id, 'friendly_name', m.friendly_name, 'type', m.type, 'url', m.url, 'tags', m.tags,
               'is_sample', m.sample_website_id is not null) as monitor,
             m.website_id, coalesce(c.notified, '[]') as notified
        from page i
        join monitors m on m.user_id = i.user_id and m.id = i.monitor_id
        left join page_notes n on n.incident_id = i.id
        left join page_channels c on c.incident_id = i.id
       order by i.resolved_at is not null, i.started_at desc, i.id desc`,
    values,
    asJson: true,
  })
  return JSON.parse(`[${result?.json ?? ''}]`)
}
