/** Holds whoever writes what days came to in the middle of it, so that they can be killed just there. */
import pg from 'pg'
import { until } from './support.ts'

export interface Hold {
  /** That somebody waits for us with such a statement. */
  untilBlocked(statement: string): Promise<void>
  release(): Promise<void>
}

/**
 * Adding up has written events, visits and totals when it comes to these rows, and packing the packed day: neither has
 * committed.
 */
export async function holdCounts(connection: pg.ClientConfig, which: 'today' | 'earlier'): Promise<Hold> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  await client.query(`set search_path = belfry; set belfry.across_users = 'on'; begin`)
  // Today is another day elsewhere.
  const condition = which === 'today' ? 'day >= current_date - 1' : 'day < current_date - 1'
  await client.query(`select from traffic_counts where ${condition} for update`)
  return {
    async untilBlocked(statement) {
      await until(`somebody waits with ${statement}`, async () => {
        // A transaction is shown the same activity again and again.
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
