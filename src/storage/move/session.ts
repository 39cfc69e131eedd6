import type { ClientBase } from 'pg'

/**
 * Prepares a session for a transaction that may take hours. If our process is killed, PostgreSQL notices within two seconds,
 * even while it creates an index, and releases its locks.
 */
export async function prepareLongSession(client: ClientBase): Promise<void> {
  // PostgreSQL 15 and 16, and servers on some operating systems, don't support all of these settings.
  const settings = { client_connection_check_interval: '2s', transaction_timeout: '0', tcp_user_timeout: '20s' }
  for (const [name, value] of Object.entries(settings))
    await client.query('select set_config($1, $2, false)', [name, value]).catch(() => {})
}
