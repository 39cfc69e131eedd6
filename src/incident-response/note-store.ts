/** SQL for notes about incidents. */
import type { IncidentKey } from '../impact/measure-store.ts'
import { OWN_ROWS } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'

export interface NoteRow {
  id: number
  text: string
  author: string
  created_at: Date
}

export async function findCallerEmail(q: Queries): Promise<string> {
  const [user] = await q.query<{ email: string }>('select email from users where id = own_user()')
  return user?.email ?? ''
}

export async function countNotes(q: Queries, { monitorId, incidentId }: IncidentKey): Promise<number> {
  const [row] = await q.query<{ count: number }>(
    `select count(*)::int as count
       from incident_notes
      where ${OWN_ROWS} and monitor_id = $1 and incident_id = $2`,
    [monitorId, incidentId],
  )
  return row?.count ?? 0
}

export async function insertNote(
  q: Queries,
  { teamId, monitorId, incidentId }: IncidentKey,
  { text, author, now }: { text: string; author: string; now: Date },
): Promise<NoteRow> {
  const [row] = await q.query<NoteRow & Record<string, unknown>>(
    `insert into incident_notes (user_id, monitor_id, incident_id, text, author, created_at)
     values ($1, $2, $3, $4, $5, $6)
     returning id, text, author, created_at`,
    [teamId, monitorId, incidentId, text, author, now],
  )
  return row as NoteRow
}

/** Returns whether the caller had such a note. The primary key of notes begins with the monitor, which the incident names. */
export async function deleteNote(q: Queries, incidentId: number, noteId: number): Promise<boolean> {
  const deletedRows = await q.query(
    `delete from incident_notes n
      using incidents i
      where i.${OWN_ROWS} and i.id = $1
        and n.user_id = i.user_id and n.monitor_id = i.monitor_id and n.incident_id = i.id and n.id = $2
     returning n.id`,
    [incidentId, noteId],
  )
  return deletedRows.length === 1
}
