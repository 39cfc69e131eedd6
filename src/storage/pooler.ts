/** Detects a connection pooler that gives every transaction another PostgreSQL session. */
import type { OpenConnection } from './open-connection.ts'

export const TRANSACTION_MODE_TEXT =
  'The connection pooler in front of PostgreSQL runs in transaction mode, which Belfry does not support.'
export const TRANSACTION_MODE_HINT =
  'Set session mode for this database (pgbouncer: pool_mode = session), or point DATABASE_URL at PostgreSQL itself.'

/** While the pooler is in transaction mode, new connections are tested at most once in this time. */
const RETEST_INTERVAL_MS = 500

/**
 * Belfry prepares statements and sets up sessions, and some commands hold advisory locks. All of that belongs to a session.
 * Behind a pooler in transaction mode it would end up in the sessions of other clients.
 */
export class TransactionModeError extends Error {
  override readonly name = 'TransactionModeError'

  constructor() {
    super(TRANSACTION_MODE_TEXT)
  }
}

/**
 * Whether connections have sessions of their own. A pooler can be switched to transaction mode while the server runs. Tests
 * need two connections, so they run only after an error that a lost session explains, and then before a new connection is used.
 */
export class PoolerMode {
  readonly #onChange: (isTransactionMode: boolean) => void
  #needsTest = false
  #isTransactionMode = false
  /** When the last test ended. */
  #testedAt = Number.NEGATIVE_INFINITY
  #runningTest: Promise<boolean> | undefined

  /** `onChange` is called when a test finds another mode than the one before. */
  constructor(onChange: (isTransactionMode: boolean) => void) {
    this.#onChange = onChange
  }

  /**
   * Call it after an error that occurs if a pooler sends a statement to another session. The next new connection is
   * then tested.
   */
  requestTest(): void {
    this.#needsTest = true
  }

  /** Whether a test has just ended, so that another one would have the same result. */
  get wasJustTested(): boolean {
    return performance.now() - this.#testedAt < RETEST_INTERVAL_MS
  }

  /** Call it before you open a connection: in transaction mode, the new connection would fail the test, too. */
  throwIfTransactionMode(): void {
    if (this.#isTransactionMode && this.wasJustTested) throw new TransactionModeError()
  }

  /** Call it with every new connection. Does nothing unless a test was requested. Concurrent callers share one test. */
  async requireOwnSession(connection: OpenConnection, openOther: () => Promise<OpenConnection>): Promise<void> {
    if (!this.#needsTest || !connection.isPooled) return
    this.#runningTest ??= this.#test(connection, openOther).finally(() => {
      this.#runningTest = undefined
    })
    if (await this.#runningTest) throw new TransactionModeError()
  }

  async #test(connection: OpenConnection, openOther: () => Promise<OpenConnection>): Promise<boolean> {
    const isTransactionMode = await sharesSession(connection, openOther)
    this.#testedAt = performance.now()
    this.#needsTest = isTransactionMode
    const hasChanged = this.#isTransactionMode !== isTransactionMode
    this.#isTransactionMode = isTransactionMode
    if (hasChanged) this.#onChange(isTransactionMode)
    return isTransactionMode
  }
}

/**
 * Whether the pooler runs in transaction mode. While a second connection is in a transaction, the pooler can't give the
 * session of that connection to anybody else. So in transaction mode, the second connection gets our session, or our
 * next statement runs in another session. A pooler that uses its sessions in turn may give us our own session by
 * chance, but not four times.
 */
export async function sharesSession(
  connection: OpenConnection,
  openOther: () => Promise<OpenConnection>,
): Promise<boolean> {
  const hasOwnPid = async () => (await readPid(connection)) === connection.pid
  const otherConnection = await openOther()
  try {
    await otherConnection.client.query('begin')
    if ((await readPid(otherConnection)) === connection.pid || !(await hasOwnPid()) || !(await hasOwnPid())) return true
    await otherConnection.client.query('rollback')
    return !(await hasOwnPid()) || !(await hasOwnPid())
  } finally {
    await otherConnection.close()
  }
}

async function readPid({ client }: OpenConnection): Promise<number> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return rows[0].pid
}
