import pg from 'pg'
import { StartupError } from '../../lib/startup-error.ts'

/** Waited too long for a lock, or was chosen to give way in a deadlock: worth another try. */
export function isLockFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '55P03' || error.code === '40P01')
}

export function sayLockFailure(error: unknown): never {
  if (!isLockFailure(error)) throw error
  throw new StartupError(
    'The database is busy with a backup, a restore or a migration.',
    'Try again when that has ended. Nothing was changed.',
    { cause: error },
  )
}
