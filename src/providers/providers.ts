/** Creates, updates and deletes providers. */
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../lib/clock.ts'
import { formatCount } from '../lib/format.ts'
import { invalid, notFound } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import type { Queries } from '../storage/client.ts'
import { lockCallerRow } from '../storage/statements.ts'
import type { ProviderType } from './kinds.ts'
import type { ProviderRules, ProviderSettings } from './provider.ts'
import { readProviderSettings, sealProviderSettings } from './record.ts'
import type { CreateProvider, TestProviderSettings, UpdateProvider } from './schema.ts'
import { parseProvider } from './settings.ts'
import {
  clearProviderFailure,
  countProviders,
  deleteProviderRow,
  findProvider,
  insertProvider,
  lockProviderRow,
  type ProviderRow,
  updateProviderRow,
} from './store.ts'

/** Limit per user. `GET /api/providers` returns all of a user's providers without pagination. */
const MAX_PROVIDERS = 1_000

export interface ProviderDeps {
  clock: Clock
  secret: Secret
  rules: ProviderRules
}

/** Must run in a transaction. */
export async function createProvider(
  q: Queries,
  userId: number,
  input: CreateProvider,
  { clock, secret, rules }: ProviderDeps,
): Promise<ProviderRow> {
  const { provider_type: type, assign_by_default = false } = input
  const { name, settings } = parseProvider(type, input, rules)
  const columns = { name, assign_by_default, ...sealProviderSettings(type, settings, userId, secret) }
  await lockCallerRow(q)
  if ((await countProviders(q)) >= MAX_PROVIDERS) {
    throw invalid({
      provider_type: [
        `You already have ${formatCount(MAX_PROVIDERS)} notification channels, which is the limit. Delete one first.`,
      ],
    })
  }
  return insertProvider(q, userId, type, columns, clock.now())
}

export async function getProvider(q: Queries, id: number): Promise<ProviderRow> {
  const row = await findProvider(q, id)
  if (row === undefined) throw notFound()
  return row
}

/**
 * Returns the settings that a test uses before they are saved. With `provider_id`, fields that were not sent come from that provider,
 * such as secrets, which clients never see in full.
 */
export async function readUnsavedProvider(
  q: Queries,
  input: TestProviderSettings,
  { secret, rules }: Pick<ProviderDeps, 'secret' | 'rules'>,
): Promise<{ type: ProviderType; name: string | null; settings: ProviderSettings }> {
  const { provider_id: id, provider_type: sentType, ...fields } = input
  const row = id === undefined ? undefined : await findProvider(q, id)
  if (id !== undefined && row === undefined)
    throw invalid({ provider_id: ['`provider_id` is not one of your providers.'] })
  const type = sentType ?? row?.provider_type
  if (type === undefined) throw invalid({ provider_type: ['`provider_type` is required.'] })
  requireSameType(row, type)
  const current = row && { name: row.name, settings: readProviderSettings(row, secret) }
  return { type, ...parseProvider(type, fields, rules, current) }
}

function requireSameType(row: ProviderRow | undefined, type: ProviderType): void {
  if (row === undefined || type === row.provider_type) return
  throw invalid({ provider_type: ["The type of a notification channel (`provider_type`) can't be changed."] })
}

/** Must run in a transaction. An empty request changes nothing, not even `updated_at`. */
export async function updateProvider(
  q: Queries,
  id: number,
  input: UpdateProvider,
  { clock, secret, rules }: ProviderDeps,
): Promise<ProviderRow> {
  const row = await lockProviderRow(q, id)
  if (row === undefined) throw notFound()
  const { provider_type: type = row.provider_type } = input
  requireSameType(row, type)
  if (Object.keys(input).length === 0) return row
  const current = { name: row.name, settings: readProviderSettings(row, secret) }
  const { name, settings } = parseProvider(type, input, rules, current)
  const columns = {
    name,
    assign_by_default: input.assign_by_default ?? row.assign_by_default,
    ...sealProviderSettings(type, settings, row.user_id, secret),
  }
  const now = clock.now()
  if (!isDeepStrictEqual({ ...settings }, { ...current.settings })) await clearProviderFailure(q, id, now)
  return updateProviderRow(q, id, columns, now)
}

/** Also deletes the provider's assignments. */
export async function deleteProvider(q: Queries, id: number): Promise<void> {
  if (!(await deleteProviderRow(q, id))) throw notFound()
}
