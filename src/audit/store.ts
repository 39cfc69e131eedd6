/** SQL that reads the audit log, and deletes old entries. Triggers add the entries: see migrations/access. */
import type { AuditActorKind, AuditObject } from '../shared/audit.ts'
import { AUDIT_RETENTION_DAYS, MAX_LISTED_AUDIT_ENTRIES } from '../shared/audit.ts'
import { queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'

/** null means that the filter is not set. */
export interface AuditFilter {
  action: string | null
  object: AuditObject | null
  objectId: number | null
  actorKind: AuditActorKind | null
  actorId: number | null
  from: Date | null
  to: Date | null
  /** In lower case. */
  search: string | null
  /** null: from the newest entry. */
  after: Pick<AuditRow, 'id' | 'at'> | null
}

export interface AuditRow {
  id: number
  at: Date
  actor_kind: AuditActorKind
  actor_id: number | null
  actor_name: string
  action: string
  object: AuditObject
  object_id: number | null
  object_name: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  ip: string | null
  request_id: string | null
}

const columns = `e.id, e.at, e.actor_kind, e.actor_id, e.actor_name, e.action, e.object, e.object_id, e.object_name, e.before, e.after,
  e.ip, e.request_id`

/**
 * Selects the entries that match the filter, which are the parameters $1 to $10. Each call has a plan of its own, so PostgreSQL drops the
 * conditions whose parameter is null. An action begins with its kind of object, which an index contains.
 */
const matchesSql = `
  team_id = own_team()
  and ($1::text is null or action = $1 and object = split_part($1, '.', 1))
  and ($2::text is null or object = $2)
  and ($3::bigint is null or object_id = $3)
  and ($4::text is null or actor_kind = $4)
  and ($5::bigint is null or actor_id = $5)
  and ($6::timestamptz is null or at >= $6)
  and ($7::timestamptz is null or at < $7)
  and ($8::text is null or strpos(lower(actor_name), $8) > 0 or strpos(lower(object_name), $8) > 0)
  and ($9::timestamptz is null or (at, id) < ($9, $10::bigint))`

const toValues = ({ action, object, objectId, actorKind, actorId, from, to, search, after }: AuditFilter) => [
  action,
  object,
  objectId,
  actorKind,
  actorId,
  from,
  to,
  search,
  after?.at,
  after?.id,
]

/** Reads one page, newest first. Counts no more than the newest MAX_LISTED_AUDIT_ENTRIES, because counting a million takes long. */
export async function readAuditPage(
  q: Queries,
  filter: AuditFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: AuditRow[]; total: number }> {
  const [result] = await queryWithFreshPlan(q, {
    text: `with found as materialized (
             select at, id
               from audit_log
              where ${matchesSql}
              order by at desc, id desc
              limit ${MAX_LISTED_AUDIT_ENTRIES}
           ), page as (
             select id from found order by at desc, id desc limit $11 offset $12
           )
           select counted.total, ${columns}
             from (select count(*)::int as total from found) counted
             left join audit_log e on e.id in (select id from page) and e.team_id = own_team()
            order by e.at desc, e.id desc`,
    values: [...toValues(filter), limit, offset],
  })
  const rows = (result?.rows ?? []) as (AuditRow & { total: number })[]
  const total = rows[0]?.total ?? 0
  // Without entries on the page, there is one row with the total.
  return { rows: rows.filter(({ id }) => id !== null).map(({ total: _, ...row }) => row), total }
}

/** Reads the first entries that match, newest first. */
export async function readAuditEntries(q: Queries, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  const [result] = await queryWithFreshPlan(q, {
    text: `select ${columns}
             from audit_log e
            where ${matchesSql}
            order by at desc, id desc
            limit $11`,
    values: [...toValues(filter), limit],
  })
  return (result?.rows ?? []) as AuditRow[]
}

/** A large batch would hold locks and delay other statements. */
const DELETE_BATCH_SIZE = 10_000

/** Works across teams. */
export async function deleteOldAuditEntries(q: Queries, now: Date): Promise<void> {
  for (;;) {
    const [deleted] = await q.batch({
      text: `delete from audit_log
              where id = any (array(select id from audit_log where at < $1::timestamptz - $2 * interval '1 day' limit $3))`,
      values: [now, AUDIT_RETENTION_DAYS, DELETE_BATCH_SIZE],
    })
    if ((deleted?.count ?? 0) < DELETE_BATCH_SIZE) return
  }
}
