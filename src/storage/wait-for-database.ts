/** Waits for a database that is not up yet, such as one that starts together with Belfry. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { waitAtMost } from '../lib/clock.ts'
import { SECOND_MS } from '../shared/time.ts'
import type { ConnectionSettings } from './connection-settings.ts'
import { NoServerError } from './no-server-error.ts'
import { withOwnerConnection } from './open-database.ts'

const RETRY_INTERVAL_MS = 500
/** A database that has not responded after this time counts as unavailable. */
const MAX_RESPONSE_MS = 1_000

/**
 * Errors of a database that may be up soon: PostgreSQL is starting, stopping, read-only or has no free connection, nothing
 * listens or responds, or the name can't be resolved. After other errors, such as a wrong password, the start fails immediately.
 */
const temporaryCodes =
  /^(57P0\d|53300|25006|08\w{3}|ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOST\w+|ENET\w+|ENOENT|EPIPE)$/
const temporaryMessages = /^(timeout|Connection terminated)/

interface WaitOptions {
  log: Logger
  signal: AbortSignal
  /** After this time, the error of the last attempt is thrown. With 0, nothing is attempted. */
  seconds: number
  /** Called once if the database is not up. If set, a database that doesn't respond within a second counts as not up. */
  onWaiting?: () => Promise<void>
}

export async function waitForDatabase(connection: ConnectionSettings, options: WaitOptions): Promise<void> {
  const { log, signal, seconds, onWaiting } = options
  if (seconds === 0) return
  const end = performance.now() + seconds * SECOND_MS
  let isWaiting = false

  async function noteWaiting(reason: string): Promise<void> {
    if (isWaiting) return
    isWaiting = true
    log.info({ reason, ...(Number.isFinite(seconds) && { seconds }) }, 'waiting for the database')
    await onWaiting?.()
  }

  async function attempt(): Promise<void> {
    const connected = withOwnerConnection(connection, async () => {}).then(() => true)
    if (onWaiting !== undefined && !(await waitAtMost(MAX_RESPONSE_MS, connected))) {
      connected.catch(() => {})
      await noteWaiting('no response')
    }
    await connected
  }

  for (;;) {
    signal.throwIfAborted()
    try {
      await attempt()
      if (isWaiting) log.info({}, 'the database is up')
      return
    } catch (error) {
      if (!isTemporaryDatabaseError(error) || performance.now() >= end) throw error
      await noteWaiting((error as Error).message)
    }
    await delay(RETRY_INTERVAL_MS, undefined, { signal })
  }
}

/** Whether the database may be up soon. The error of the connection may be the cause of a StartupError. */
export function isTemporaryDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  if (temporaryCodes.test(code ?? '') || temporaryMessages.test(error.message)) return true
  // If there are several servers, it is enough that one of them may be up soon.
  return error instanceof NoServerError
    ? error.errors.some(isTemporaryDatabaseError)
    : isTemporaryDatabaseError(error.cause)
}
