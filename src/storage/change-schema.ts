/** Schema changes while the server runs: creating and dropping partitions. */
import type { Client } from 'pg'
import { MIGRATION_LOCK } from './apply-schema-change.ts'
import type { Database } from './database.ts'

/**
 * Runs `work` in a transaction that holds the migration lock. If another node or a backup holds that lock, returns false
 * without running `work`, which would have to wait for the backup's table locks.
 * Uses unprepared queries, because every statement names a different partition and prepared statements would pile up.
 */
export function changeSchema(
  db: Database,
  lockTimeout: string,
  work: (client: Client) => Promise<void>,
): Promise<boolean> {
  return db.withConnection(async (client) => {
    try {
      await client.query(`begin; set local lock_timeout = '${lockTimeout}'; select enter_across_users()`)
      const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as locked', [MIGRATION_LOCK])
      if (rows[0].locked) await work(client)
      await client.query('commit')
      return rows[0].locked
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    }
  })
}
