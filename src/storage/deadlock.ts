import pg from 'pg'

const ATTEMPTS = 3

/** PostgreSQL ends one of several transactions that wait for each other, and leaves nothing of it: it may simply be run again. */
export async function despiteDeadlocks<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === ATTEMPTS || !isDeadlock(error)) throw error
    }
  }
}

function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40P01'
}
