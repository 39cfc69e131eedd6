/** Adds notes about incidents. */
import { lockIncident } from '../alerts/acknowledge-store.ts'
import type { IncidentNoteRecord } from '../incidents/schema.ts'
import { FieldParser, parseMultilineText } from '../lib/field-parser.ts'
import { invalid, notFound } from '../lib/problem.ts'
import { MAX_INCIDENT_NOTES } from '../shared/incidents.ts'
import type { Queries } from '../storage/transaction.ts'
import { countNotes, findCallerEmail, insertNote } from './note-store.ts'

/** Call this in a transaction. Locking the incident makes concurrent notes wait for each other, so that their number stays in the limit. */
export async function addNote(
  q: Queries,
  { teamId, incidentId, text, now }: { teamId: number; incidentId: number; text: string; now: Date },
): Promise<IncidentNoteRecord> {
  const incident = await lockIncident(q, { teamId, incidentId })
  if (incident === undefined) throw notFound()
  if ((await countNotes(q, incident)) >= MAX_INCIDENT_NOTES) {
    throw invalid({
      text: [`The incident already has ${MAX_INCIDENT_NOTES} notes, which is the limit. Delete one first.`],
    })
  }
  const author = await findCallerEmail(q)
  const note = await insertNote(q, incident, { text, author, now })
  return { ...note, created_at: note.created_at.toISOString() }
}

export function parseNoteText(text: string): string {
  const parser = new FieldParser()
  const parsedText = parser.parse('text', text, parseMultilineText)
  parser.throwIfInvalid()
  return parsedText as string
}
