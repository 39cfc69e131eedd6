/** Waits for a database that is not up yet, such as one that starts together with Belfry. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { SECOND_MS } from '../shared/time.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import { NoServerError } from './no-server-error.ts'
import { withOwnerConnection } from './open-database.ts'

const RETRY_INTERVAL_MS = 500

/**
 * Errors of a database that may be up soon: PostgreSQL is starting, stopping, read-only or has no free connection, nothing
 * listens or responds, or the name can't be resolved. After other errors, such as a wrong password, the start fails at once.
 */
const temporaryCodes =
  /^(57P0\d|53300|25006|08\w{3}|ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOST\w+|ENET\w+|ENOENT|EPIPE)$/
const temporaryMessages = /^(timeout|Connection terminated)/

/** Returns at once if `seconds` is 0. After that many seconds, throws the error of the last attempt. */
export async function waitForDatabase(
  connection: ConnectionSettings,
  { log, signal, seconds }: { log: Logger; signal: AbortSignal; seconds: number },
): Promise<void> {
  if (seconds === 0) return
  const end = performance.now() + seconds * SECOND_MS
  for (let isFirst = true; ; isFirst = false) {
    signal.throwIfAborted()
    try {
      await withOwnerConnection(connection, async () => {})
      if (!isFirst) log.info({}, 'the database is up')
      return
    } catch (error) {
      if (!isTemporary(error) || performance.now() >= end) throw error
      if (isFirst) log.info({ reason: (error as Error).message, seconds }, 'waiting for the database')
    }
    await wait(RETRY_INTERVAL_MS, undefined, { signal })
  }
}

/** The error of the connection may be the cause of a StartupError. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  if (temporaryCodes.test(code ?? '') || temporaryMessages.test(error.message)) return true
  // Any of several servers may be up soon.
  return error instanceof NoServerError ? error.errors.some(isTemporary) : isTemporary(error.cause)
}
