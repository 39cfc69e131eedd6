/** SQL of providers. */
import { own } from '../storage/ask.ts'
import type { Queries } from '../storage/client.ts'
import type { ProviderType } from './kinds.ts'
import type { Settings } from './provider.ts'

export interface ProviderColumns {
  name: string | null
  assign_by_default: boolean
  settings: Settings
  secrets: Buffer | null
}

export interface ProviderRow extends ProviderColumns {
  id: number
  user_id: number
  provider_type: ProviderType
  /** What its last message failed with for good. */
  failure: string | null
  failed_at: Date | null
  created_at: Date
  updated_at: Date
}

/** As `table` has them. */
export const providerColumns = (table: string) =>
  ['id', 'user_id', 'provider_type', 'name', 'assign_by_default', 'settings', 'secrets', 'failure', 'failed_at']
    .concat('created_at', 'updated_at')
    .map((column) => `${table}.${column}`)
    .join(', ')

const columns = providerColumns('providers')

/** Needs a transaction of the user's. */
export async function insertProvider(
  q: Queries,
  userId: number,
  type: ProviderType,
  provider: ProviderColumns,
  now: Date,
): Promise<ProviderRow> {
  const [row] = await q.query<ProviderRow>(
    `insert into providers (user_id, provider_type, name, assign_by_default, settings, secrets, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) returning ${columns}`,
    [userId, type, provider.name, provider.assign_by_default, provider.settings, provider.secrets, now],
  )
  return row as ProviderRow
}

export async function countProviders(q: Queries): Promise<number> {
  return (await q.query(`select count(*) as total from providers where ${own}`))[0]?.['total']
}

export function listProviders(q: Queries): Promise<ProviderRow[]> {
  return q.query<ProviderRow>(`select ${columns} from providers where ${own} order by id desc`)
}

export async function findProvider(q: Queries, id: number): Promise<ProviderRow | undefined> {
  return (await q.query<ProviderRow>(`select ${columns} from providers where ${own} and id = $1`, [id]))[0]
}

/** Nobody else changes it until the transaction ends. */
export async function lockProvider(q: Queries, id: number): Promise<ProviderRow | undefined> {
  return (
    await q.query<ProviderRow>(`select ${columns} from providers where ${own} and id = $1 for no key update`, [id])
  )[0]
}

export async function updateProvider(
  q: Queries,
  id: number,
  provider: ProviderColumns,
  now: Date,
): Promise<ProviderRow> {
  const [row] = await q.query<ProviderRow>(
    `update providers set name = $2, assign_by_default = $3, settings = $4, secrets = $5, updated_at = $6
      where ${own} and id = $1 returning ${columns}`,
    [id, provider.name, provider.assign_by_default, provider.settings, provider.secrets, now],
  )
  return row as ProviderRow
}

/** It works again, as far as we know, or is another one now: what waits for it is tried at once. */
export async function forgetFailure(q: Queries, id: number, now: Date): Promise<void> {
  await q.flight(
    {
      text: `update providers set failure = null, failed_at = null, failed_in_a_row = 0, rests_until = null
              where ${own} and id = $1 and (failure is not null or failed_in_a_row > 0)`,
      values: [id],
    },
    {
      text: `update alerts set next_attempt_at = $2
              where ${own} and provider_id = $1 and state = 'waiting' and next_attempt_at > $2`,
      values: [id, now],
    },
  )
}

export async function deleteProvider(q: Queries, id: number): Promise<boolean> {
  return (await q.query(`delete from providers where ${own} and id = $1 returning id`, [id])).length > 0
}
