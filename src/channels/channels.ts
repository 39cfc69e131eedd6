/** Creates, updates and deletes channels. */
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../lib/clock.ts'
import { formatCount } from '../lib/format.ts'
import { invalid, notFound } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { lockOwnTeam } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import type { ChannelRules, ChannelSettings } from './common/channel.ts'
import type { ChannelType } from './kinds.ts'
import { readChannelSettings, sealChangedSettings, sealChannelSettings } from './record.ts'
import type { CreateChannel, TestChannelSettings, UpdateChannel } from './schema.ts'
import { parseChannelSettings } from './settings.ts'
import {
  type ChannelRow,
  clearChannelFailure,
  countChannels,
  deleteChannelRow,
  findChannel,
  insertChannel,
  lockChannelRow,
  updateChannelRow,
} from './store.ts'

/** Limit per user. `GET /api/providers` returns all of a user's channels without pagination. */
const MAX_CHANNELS = 1_000

export interface ChannelDeps {
  clock: Clock
  secret: Secret
  rules: ChannelRules
}

/** Must run in a transaction. */
export async function createChannel(
  q: Queries,
  teamId: number,
  input: CreateChannel,
  { clock, secret, rules }: ChannelDeps,
): Promise<ChannelRow> {
  const { provider_type: type, assign_by_default = false } = input
  const { name, settings } = parseChannelSettings(type, input, rules)
  const columns = { name, assign_by_default, ...sealChannelSettings(type, settings, teamId, secret) }
  await lockOwnTeam(q)
  if ((await countChannels(q)) >= MAX_CHANNELS) {
    throw invalid({
      provider_type: [
        `You already have ${formatCount(MAX_CHANNELS)} notification channels, which is the limit. Delete one first.`,
      ],
    })
  }
  return insertChannel(q, teamId, { type, ...columns }, clock.now())
}

export async function getChannel(q: Queries, id: number): Promise<ChannelRow> {
  const row = await findChannel(q, id)
  if (row === undefined) throw notFound()
  return row
}

/**
 * Returns settings that are tested before they are saved. With `provider_id`, fields that were not sent keep the saved
 * values of that channel. Clients need this for secrets, which they never see in full.
 */
export async function readUnsavedChannel(
  q: Queries,
  input: TestChannelSettings,
  { secret, rules }: Pick<ChannelDeps, 'secret' | 'rules'>,
): Promise<{ type: ChannelType; name: string | null; settings: ChannelSettings }> {
  const { provider_id: id, provider_type: sentType, ...fields } = input
  const row = id === undefined ? undefined : await findChannel(q, id)
  if (id !== undefined && row === undefined)
    throw invalid({ provider_id: ['`provider_id` is not one of your providers.'] })
  const type = sentType ?? row?.provider_type
  if (type === undefined) throw invalid({ provider_type: ['`provider_type` is required.'] })
  requireSameType(row, type)
  const current = row && { name: row.name, settings: readChannelSettings(row, secret) }
  return { type, ...parseChannelSettings(type, fields, rules, current) }
}

function requireSameType(row: ChannelRow | undefined, type: ChannelType): void {
  if (row === undefined || type === row.provider_type) return
  throw invalid({ provider_type: ["The type of a notification channel (`provider_type`) can't be changed."] })
}

/** Must run in a transaction. An empty request changes nothing, not even `updated_at`. */
export async function updateChannel(
  q: Queries,
  id: number,
  input: UpdateChannel,
  { clock, secret, rules }: ChannelDeps,
): Promise<ChannelRow> {
  const row = await lockChannelRow(q, id)
  if (row === undefined) throw notFound()
  const { provider_type: type = row.provider_type } = input
  requireSameType(row, type)
  if (Object.keys(input).length === 0) return row
  const current = { name: row.name, settings: readChannelSettings(row, secret) }
  const { name, settings } = parseChannelSettings(type, input, rules, current)
  const columns = {
    name,
    assign_by_default: input.assign_by_default ?? row.assign_by_default,
    ...sealChangedSettings(row, settings, secret),
  }
  const now = clock.now()
  if (!isDeepStrictEqual({ ...settings }, { ...current.settings })) await clearChannelFailure(q, id, now)
  return updateChannelRow(q, id, columns, now)
}

/** Also deletes the channel's assignments. */
export async function deleteChannel(q: Queries, id: number): Promise<void> {
  if (!(await deleteChannelRow(q, id))) throw notFound()
}
