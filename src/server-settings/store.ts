/** SQL for the settings that admins save on a page. Their values are encrypted. */
import type { Queries } from '../storage/transaction.ts'
import type { SettingRow } from './stored-settings.ts'

export async function readSettingRows(q: Queries): Promise<SettingRow[]> {
  return q.query<SettingRow & Record<string, unknown>>(
    'select name, value, updated_at as "updatedAt" from server_settings order by name',
  )
}

export async function putSetting(q: Queries, { name, value, updatedAt }: SettingRow): Promise<void> {
  await q.query(
    `insert into server_settings (name, value, updated_at) values ($1, $2, $3)
     on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [name, value, updatedAt],
  )
}

export async function deleteSetting(q: Queries, name: SettingRow['name']): Promise<void> {
  await q.query('delete from server_settings where name = $1', [name])
}
