import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

const MAX_ATTEMPTS = 3
/**
 * The other transaction gets this long to lock the rows that it waited for. Otherwise, the repeated transaction could lock
 * them first, and both would be in a deadlock again.
 */
const PAUSE_MS = 100

/** PostgreSQL ends a deadlock by rolling back one of the transactions, which can then run again. */
export async function retryOnDeadlock<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isDeadlock(error)) throw error
      await delay(attempt * PAUSE_MS)
    }
  }
}

export function isDeadlock(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '40P01'
}
