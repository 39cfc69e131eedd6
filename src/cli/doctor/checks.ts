/** Diagnoses of checks that start late. */
import type { ClientBase } from 'pg'
import { MINUTE_MS } from '../../shared/time.ts'
import { type DoctorDiagnosis, ok, warning } from './diagnosis.ts'
import { readOverdueChecks } from './store.ts'

const formatCount = (count: number) => count.toLocaleString('en')

/** Returns no diagnosis if no node runs checks. */
export async function checkLateness(client: ClientBase): Promise<DoctorDiagnosis[]> {
  const checks = await readOverdueChecks(client, new Date(Date.now() - MINUTE_MS))
  if (checks === undefined || checks.activeCount === 0) return []
  const { activeCount, overdueCount, firstDueAt } = checks
  if (firstDueAt === null) return [ok('Checks: none is more than a minute late.')]
  return [
    warning(
      `Checks: ${formatCount(overdueCount)} of ${formatCount(activeCount)} are more than a minute late. One has been due since ${firstDueAt.toISOString()}.`,
      'If the server has just started, run this command again in a minute. Otherwise, give the server and PostgreSQL more CPU time, start another node with the role checker, or check less often.',
    ),
  ]
}
