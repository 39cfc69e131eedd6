/** Changes of the schema while the server runs: partitions come and go. */
import type { PoolClient } from 'pg'
import type { Database } from './database.ts'
import { MIGRATION_LOCK } from './migrations.ts'

/**
 * Of all who would change the schema one does, and nobody while a backup reads it: it would hold every lock that we need.
 * As plain queries, because the texts are never the same, and prepared ones would pile up. false: somebody else is at it.
 */
export function changeSchema(
  db: Database,
  wait: string,
  work: (client: PoolClient) => Promise<void>,
): Promise<boolean> {
  return db.withConnection(async (client) => {
    try {
      await client.query(`begin; set local lock_timeout = '${wait}'`)
      const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as alone', [MIGRATION_LOCK])
      if (rows[0].alone) await work(client)
      await client.query('commit')
      return rows[0].alone
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    }
  })
}
