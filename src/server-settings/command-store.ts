/** SQL for commands, which have a connection of their own instead of the server's pools. */
import type { ClientBase } from 'pg'
import { LAST_BACKUP_NAME, type SettingRow } from './stored-settings.ts'

/** Returns an empty list if the table doesn't exist yet. */
export async function readSettingRowsOnce(client: ClientBase): Promise<SettingRow[]> {
  const { rows: existsRows } = await client.query(`select to_regclass('belfry.server_settings') is not null as exists`)
  if (!existsRows[0].exists) return []
  const { rows } = await client.query<SettingRow>(
    'select name, value, updated_at as "updatedAt" from belfry.server_settings order by name',
  )
  return rows
}

/** Stores when `belfry backup` last succeeded. The value is empty: the time itself is in `updated_at`. */
export async function recordBackup(client: ClientBase, now: Date): Promise<void> {
  await client.query(
    `insert into belfry.server_settings (name, value, updated_at) values ($1, '', $2)
     on conflict (name) do update set updated_at = greatest(server_settings.updated_at, excluded.updated_at)`,
    [LAST_BACKUP_NAME, now],
  )
}
