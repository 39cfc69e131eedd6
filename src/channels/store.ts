/** SQL for channels. */

import { OWN_ROWS } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import type { ChannelSettings } from './common/channel.ts'
import type { ChannelType } from './kinds.ts'

export interface ChannelColumns {
  name: string | null
  assign_by_default: boolean
  settings: ChannelSettings
  secrets: Buffer | null
}

export interface ChannelRow extends ChannelColumns {
  id: number
  user_id: number
  provider_type: ChannelType
  /** Why the last message was given up. null after a later message was sent. */
  failure: string | null
  failed_at: Date | null
  created_at: Date
  updated_at: Date
}

const columns = `id, user_id, provider_type, name, assign_by_default, settings, secrets, failure, failed_at, created_at,
  updated_at`

/** Must run in a transaction. */
export async function insertChannel(
  q: Queries,
  teamId: number,
  channel: ChannelColumns & { type: ChannelType },
  now: Date,
): Promise<ChannelRow> {
  const [row] = await q.query<ChannelRow>(
    `insert into providers (user_id, provider_type, name, assign_by_default, settings, secrets, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7) returning ${columns}`,
    [teamId, channel.type, channel.name, channel.assign_by_default, channel.settings, channel.secrets, now],
  )
  return row as ChannelRow
}

export async function countChannels(q: Queries): Promise<number> {
  return (await q.query(`select count(*) as total from providers where ${OWN_ROWS}`))[0]?.['total']
}

export function listChannels(q: Queries): Promise<ChannelRow[]> {
  return q.query<ChannelRow>(`select ${columns} from providers where ${OWN_ROWS} order by id desc`)
}

export async function findChannel(q: Queries, id: number): Promise<ChannelRow | undefined> {
  return (await q.query<ChannelRow>(`select ${columns} from providers where ${OWN_ROWS} and id = $1`, [id]))[0]
}

/** Locks the channel until the transaction ends. */
export async function lockChannelRow(q: Queries, id: number): Promise<ChannelRow | undefined> {
  return (
    await q.query<ChannelRow>(`select ${columns} from providers where ${OWN_ROWS} and id = $1 for no key update`, [id])
  )[0]
}

export async function updateChannelRow(
  q: Queries,
  id: number,
  channel: ChannelColumns,
  now: Date,
): Promise<ChannelRow> {
  const [row] = await q.query<ChannelRow>(
    `update providers set name = $2, assign_by_default = $3, settings = $4, secrets = $5, updated_at = $6
      where ${OWN_ROWS} and id = $1 returning ${columns}`,
    [id, channel.name, channel.assign_by_default, channel.settings, channel.secrets, now],
  )
  return row as ChannelRow
}

/** Call it when a channel works again or has new settings. Its waiting alerts become due now. */
export async function clearChannelFailure(q: Queries, id: number, now: Date): Promise<void> {
  await q.batch(
    {
      text: `update providers set failure = null, failed_at = null, failed_in_a_row = 0, rests_until = null
              where ${OWN_ROWS} and id = $1 and (failure is not null or failed_in_a_row > 0)`,
      values: [id],
    },
    {
      text: `update alerts set next_attempt_at = $2
              where ${OWN_ROWS} and provider_id = $1 and state = 'waiting' and next_attempt_at > $2`,
      values: [id, now],
    },
  )
}

export async function deleteChannelRow(q: Queries, id: number): Promise<boolean> {
  return (await q.query(`delete from providers where ${OWN_ROWS} and id = $1 returning id`, [id])).length > 0
}
