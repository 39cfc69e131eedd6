import pg from 'pg'

const MAX_ATTEMPTS = 3

/** PostgreSQL ends a deadlock by rolling back one of the transactions, which can then run again. */
export function retryOnDeadlock<T>(transaction: () => Promise<T>, attempt = 1): Promise<T> {
  return transaction().catch((error) => {
    if (attempt === MAX_ATTEMPTS || !isDeadlock(error)) throw error
    return retryOnDeadlock(transaction, attempt + 1)
  })
}

export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40P01'
}
