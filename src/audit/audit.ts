/** Reads the audit log of a team as records and as CSV. */
import { ConcurrencyLimiter } from '../lib/concurrency-limiter.ts'
import { formatCsvCells } from '../lib/csv.ts'
import { parsePeriod } from '../lib/period.ts'
import type { Tenant } from '../storage/tenant.ts'
import type { AuditQuery, AuditRecord } from './schema.ts'
import { type AuditFilter, type AuditRow, readAuditEntries, readAuditPage } from './store.ts'

export function toAuditFilter(query: AuditQuery, timeZone: string): AuditFilter {
  const search = query.search?.trim().toLowerCase() ?? ''
  return {
    action: query.action ?? null,
    object: query.object ?? null,
    objectId: query.object_id ?? null,
    actorKind: query.actor_kind ?? null,
    actorId: query.actor_id ?? null,
    search: search === '' ? null : search,
    after: null,
    ...parsePeriod(query, timeZone),
  }
}

export function toAuditRecord({ actor_kind, actor_id, actor_name, at, ...row }: AuditRow): AuditRecord {
  const { id, ...rest } = row
  return { id, at: at.toISOString(), actor: { kind: actor_kind, id: actor_id, name: actor_name }, ...rest }
}

/** A search scans all entries of a team, and so does a filter by actor. Each occupies a connection that writes need too. */
const MAX_CONCURRENT_SCANS = 2

export class AuditLists {
  readonly #scanLimiter = new ConcurrencyLimiter(MAX_CONCURRENT_SCANS)

  /** Reads in a transaction, which has a connection of its own. Otherwise, a scan would delay the requests that share its connection. */
  read(tenant: Tenant, teamId: number, filter: AuditFilter, page: { limit: number; offset: number }) {
    return this.#scanLimiter.run(teamId, () => tenant.snapshot((q) => readAuditPage(q, filter, page)))
  }

  /** Formats CSV by RFC 4180, with CRLF at the end of each line. Reads each batch when the client has received the one before it. */
  async *formatCsv(tenant: Tenant, teamId: number, filter: AuditFilter): AsyncGenerator<string> {
    yield `${formatCsvCells(csvColumns)}\r\n`
    for (let after: AuditRow | undefined, isComplete = false; !isComplete; ) {
      const rest = { ...filter, after: after ?? null }
      const rows = await this.#scanLimiter.run(teamId, () =>
        tenant.snapshot((q) => readAuditEntries(q, rest, CSV_BATCH_SIZE)),
      )
      yield rows.map((row) => `${formatCsvCells(csvColumns.map((name) => toCell(row[name])))}\r\n`).join('')
      after = rows.at(-1)
      isComplete = rows.length < CSV_BATCH_SIZE
    }
  }
}

const csvColumns = [
  'id',
  'at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'action',
  'object',
  'object_id',
  'object_name',
  'before',
  'after',
  'ip',
  'request_id',
] as const satisfies readonly (keyof AuditRow)[]

const CSV_BATCH_SIZE = 1_000

function toCell(value: AuditRow[keyof AuditRow]): string | number {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : value
}
