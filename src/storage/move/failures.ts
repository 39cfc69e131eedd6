/** Turns errors during a move into advice for the operator. */
import pg from 'pg'
import { StartupError } from '../../lib/startup-error.ts'
import { explainBackupError } from '../backup/failures.ts'
import { endsConnection } from '../connection-loss.ts'

/** Marks an error of a statement on the source. Errors without this mark come from the target. */
class SourceError extends Error {
  override readonly name = 'SourceError'

  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}

/** Marks an error of a statement on the source. Pass it to `catch`. */
export function throwAsSourceError(error: Error): never {
  throw new SourceError(error)
}

const NOTHING_CHANGED = 'Neither database was changed.'

/** Returns advice for errors that the operator can do something about, and other errors unchanged. */
export function explainMoveError(error: unknown): unknown {
  const cause = error instanceof SourceError ? error.cause : error
  if (cause instanceof StartupError) return cause
  if (endsConnection(cause)) {
    const side = error instanceof SourceError ? 'source' : 'target'
    return new StartupError(
      `The connection to the ${side} was lost: ${(cause as Error).message}.`,
      `Run the move again when this PostgreSQL server is reachable. ${NOTHING_CHANGED}`,
      { cause },
    )
  }
  if (!(cause instanceof pg.DatabaseError)) return cause
  if (cause.code?.startsWith('23')) {
    return new StartupError(
      `The source's rows are inconsistent: ${cause.message}.`,
      `Correct these rows in the source, and run the move again. ${NOTHING_CHANGED}`,
      { cause },
    )
  }
  if (cause.code === '53100') {
    return new StartupError(
      "The target's disk is full.",
      `Free some space, and run the move again. ${NOTHING_CHANGED}`,
      { cause },
    )
  }
  return explainBackupError(cause)
}
