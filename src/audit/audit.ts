/** Reads the audit log of a team as records and as CSV. */
import { formatCsvCells } from '../lib/csv.ts'
import { parsePeriod } from '../lib/period.ts'
import type { Queries } from '../storage/transaction.ts'
import type { AuditQuery, AuditRecord } from './schema.ts'
import { type AuditFilter, type AuditRow, readAuditEntriesBefore } from './store.ts'

export function toAuditFilter(query: AuditQuery, timeZone: string): AuditFilter {
  const search = query.search?.trim().toLowerCase() ?? ''
  return {
    action: query.action ?? null,
    object: query.object ?? null,
    objectId: query.object_id ?? null,
    actorKind: query.actor_kind ?? null,
    actorId: query.actor_id ?? null,
    search: search === '' ? null : search,
    ...parsePeriod(query, timeZone),
  }
}

export function toAuditRecord({ actor_kind, actor_id, actor_name, at, ...row }: AuditRow): AuditRecord {
  const { id, ...rest } = row
  return { id, at: at.toISOString(), actor: { kind: actor_kind, id: actor_id, name: actor_name }, ...rest }
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

/** Formats CSV by RFC 4180, with CRLF at the end of each line. Each batch is read when the client has received the one before it. */
export async function* formatAuditCsv(q: Queries, filter: AuditFilter): AsyncGenerator<string> {
  let rows = await readAuditEntriesBefore(q, filter, null, CSV_BATCH_SIZE)
  yield `${formatCsvCells(csvColumns)}\r\n`
  while (rows.length > 0) {
    yield rows.map((row) => `${formatCsvCells(csvColumns.map((name) => toCell(row[name])))}\r\n`).join('')
    if (rows.length < CSV_BATCH_SIZE) return
    rows = await readAuditEntriesBefore(q, filter, rows.at(-1)?.id ?? null, CSV_BATCH_SIZE)
  }
}

function toCell(value: AuditRow[keyof AuditRow]): string | number {
  if (value === null) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : value
}
