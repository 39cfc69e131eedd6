/** Acknowledges incidents: a person takes care of one, so reminders and delayed alerts about it stop. */
import type { IncidentKey } from '../impact/measure-store.ts'
import type { Queries } from '../storage/transaction.ts'
import { lockIncident, writeAcknowledgement } from './acknowledge-store.ts'
import { type AcknowledgementDecision, decideAcknowledgement } from './announcement.ts'

/** Must run in a transaction. Returns undefined if the user has no such incident. */
export async function acknowledgeIncident(
  q: Queries,
  key: Pick<IncidentKey, 'teamId' | 'incidentId'>,
  acknowledgement: { at: Date; by: string },
): Promise<AcknowledgementDecision | undefined> {
  const incident = await lockIncident(q, key)
  if (incident === undefined) return undefined
  const decision = decideAcknowledgement(incident)
  if (decision === 'acknowledge') await writeAcknowledgement(q, incident, acknowledgement)
  return decision
}
