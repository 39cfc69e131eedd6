/** Turns PostgreSQL's errors during a backup or restore into advice for the operator. */
import pg from 'pg'
import { StartupError } from '../../lib/startup-error.ts'

/** SQLSTATE codes that are worth another attempt: lock_timeout, deadlock, statement_timeout. */
const lockFailureCodes = ['55P03', '40P01', '57014']

export function isLockFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && lockFailureCodes.includes(error.code ?? '')
}

/** Returns advice for errors that the operator can do something about, and other errors unchanged. */
export function explainBackupError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error
  const errorOptions = { cause: error }
  if (isLockFailure(error)) {
    return new StartupError(
      'The database is busy with a backup, a restore, a migration or a very long request.',
      'Try again later. Nothing was changed.',
      errorOptions,
    )
  }
  if (error.code === '42501') {
    return new StartupError(
      `The database login lacks a privilege: ${error.message}.`,
      'It must own the schema `belfry` and be allowed to create schemas in its database. Nothing was changed.',
      errorOptions,
    )
  }
  if (error.code?.startsWith('23')) {
    return new StartupError(
      `The backup's rows are inconsistent: ${error.message}.`,
      'Restore another backup. Nothing was changed.',
      errorOptions,
    )
  }
  if (error.code === '53100') {
    return new StartupError(
      'The disk of the database server is full.',
      'Free some space. A restore needs space for the old and the new rows. Nothing was changed.',
      errorOptions,
    )
  }
  return error
}

/**
 * SQLSTATE classes and codes of errors that the rows didn't cause, such as a missing privilege (42501), a full disk (53), a server
 * that stops (57) or an I/O error (58).
 */
const unrelatedToRowsPattern = /^(?:08|25|40|42501|53|55|57|58|XX)/

/** Returns advice if PostgreSQL doesn't accept the rows of a table, and other errors unchanged. */
export function explainRejectedRows(error: unknown, tableName: string): unknown {
  if (!(error instanceof pg.DatabaseError) || unrelatedToRowsPattern.test(error.code ?? '')) return error
  return new StartupError(
    `PostgreSQL rejected the rows of ${tableName}: ${error.message}.`,
    'Restore the backup with the version of Belfry that created it. Nothing was changed.',
    { cause: error },
  )
}
