/** Locks the daily counts, so that a test can kill a node in the middle of a rollup or of packing. */
import pg from 'pg'
import { waitUntil } from './support.ts'

export interface CountsLock {
  /** Waits until the lock blocks a statement that starts with this text. */
  waitUntilBlocking(statement: string): Promise<void>
  release(): Promise<void>
}

/**
 * Locks the counts of these days. When a rollup reaches the locked rows, it has written events, visits and totals, but not
 * committed them. When packing reaches them, it has written the packed day, but not committed it.
 */
export async function lockCounts(connection: pg.ClientConfig, days: 'today' | 'earlier'): Promise<CountsLock> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  await client.query(`set search_path = belfry; set belfry.across_users = 'on'; begin`)
  // `today` includes the day before in UTC, which is still the current day of websites in western time zones.
  const condition = days === 'today' ? 'day >= current_date - 1' : 'day < current_date - 1'
  await client.query(`select from traffic_counts where ${condition} for update`)
  return {
    async waitUntilBlocking(statement) {
      await waitUntil(`a statement is blocked: ${statement}`, async () => {
        // Within a transaction, pg_stat_activity shows the same snapshot until it is cleared.
        await client.query('select pg_stat_clear_snapshot()')
        const { rows } = await client.query<{ query: string }>(
          'select query from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))',
        )
        return rows.some(({ query }) => query.startsWith(statement))
      })
    },
    release: () => client.end(),
  }
}
