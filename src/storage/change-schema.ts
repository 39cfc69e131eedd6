/** Schema changes while the server runs: creating and dropping partitions. */
import type { PoolClient } from 'pg'
import type { Database } from './database.ts'
import { MIGRATION_LOCK } from './migrations.ts'

/**
 * Runs `work` in a transaction that holds the migration lock. Returns false, having done nothing, when another node holds
 * the lock or a backup shares it: a backup holds the table locks that `work` would wait for.
 * Uses unprepared queries, because every statement names another partition and prepared statements would pile up.
 */
export function changeSchema(
  db: Database,
  lockTimeout: string,
  work: (client: PoolClient) => Promise<void>,
): Promise<boolean> {
  return db.withConnection(async (client) => {
    try {
      await client.query(`begin; set local lock_timeout = '${lockTimeout}'`)
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
