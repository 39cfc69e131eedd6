import pg from 'pg'

const ATTEMPTS = 3

/** PostgreSQL ends one of several transactions that wait for each other, and leaves nothing of it: it may simply be run again. */
export function despiteDeadlocks<T>(transaction: () => Promise<T>, attempt = 1): Promise<T> {
  return transaction().catch((error) => {
    if (attempt === ATTEMPTS || !isDeadlock(error)) throw error
    return despiteDeadlocks(transaction, attempt + 1)
  })
}

function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40P01'
}
