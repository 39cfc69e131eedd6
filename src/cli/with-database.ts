/** A command's way to the database: beside a running server where there is one, on its own otherwise. */
import type { Logger } from 'pino'
import { createLog } from '../lib/log.ts'
import { unavailable } from '../lib/problem.ts'
import { isConnectionLoss } from '../storage/connection-loss.ts'
import type { Database } from '../storage/database.ts'
import { type DatabaseSource, joinDatabase, openDatabase } from '../storage/open-database.ts'
import type { Invocation } from './command.ts'
import { onInterrupt, unlessInterrupted } from './interrupts.ts'

/** A command does one thing after the other. */
const POOL_SIZES = { pipelined: 1, transactions: 2 }

export async function withPlace<T>(
  { config }: Pick<Invocation, 'config'>,
  work: (place: DatabaseSource, log: Logger) => Promise<T>,
): Promise<T> {
  const log = createLog('warn', process.stderr)
  const place = await joinDatabase(config, log)
  const forget = onInterrupt(() => {
    log.level = 'silent' // connections that end are no news any more
    return place.release()
  })
  try {
    return await work(place, log)
  } catch (error) {
    await unlessInterrupted()
    throw isConnectionLoss(error) ? unavailable('The database went away.', error) : error
  } finally {
    await place.release()
    forget()
  }
}

export function withDatabase<T>(invocation: Invocation, work: (db: Database) => Promise<T>): Promise<T> {
  return withPlace(invocation, async (place, log) => {
    const schema = place.kind === 'started' ? 'update' : 'require'
    const { db } = await openDatabase(place, { log, sizes: POOL_SIZES, schema })
    try {
      return await work(db)
    } finally {
      await db.close()
    }
  })
}
