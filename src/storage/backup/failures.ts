import pg from 'pg'
import { StartupError } from '../../lib/startup-error.ts'

/** lock_timeout, deadlock, statement_timeout: whatever we waited for is worth another try. */
const lockFailures = ['55P03', '40P01', '57014']

export function isLockFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && lockFailures.includes(error.code ?? '')
}

/** What an operator can do about PostgreSQL's refusal; what is nobody's fault but ours stays as it is. */
export function explainFailure(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error
  const cause = { cause: error }
  if (isLockFailure(error)) {
    return new StartupError(
      'The database is busy with a backup, a restore, a migration or a very long request.',
      'Try again when that has ended. Nothing was changed.',
      cause,
    )
  }
  if (error.code === '42501') {
    return new StartupError(
      `The database login lacks a right: ${error.message}.`,
      'It must own the schema belfry and may create schemas in its database. Nothing was changed.',
      cause,
    )
  }
  if (error.code?.startsWith('23')) {
    return new StartupError(
      `The rows contradict each other: ${error.message}.`,
      'Restore another backup. Nothing was changed.',
      cause,
    )
  }
  if (error.code === '53100') {
    return new StartupError(
      'The disk of the database is full.',
      'Free some space: the old rows stay until the new ones are all there. Nothing was changed.',
      cause,
    )
  }
  return error
}
