/** Providers made, changed and removed by their owner. */
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../lib/clock.ts'
import { invalid, notFound } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { takeTurn } from '../storage/ask.ts'
import type { Queries } from '../storage/client.ts'
import type { Rules } from './provider.ts'
import { sealSettings, settingsOf } from './record.ts'
import type { CreateProvider, UpdateProvider } from './schema.ts'
import { readProvider } from './settings.ts'
import {
  countProviders,
  deleteProvider,
  findProvider,
  forgetFailure,
  insertProvider,
  lockProvider,
  type ProviderRow,
  updateProvider,
} from './store.ts'

/** `GET /api/providers` answers with all of them, so there is an end to how many one user may have. */
const PROVIDERS_MOST = 1_000

interface Means {
  clock: Clock
  secret: Secret
  rules: Rules
}

/** Needs a transaction. */
export async function createProvider(
  q: Queries,
  userId: number,
  input: CreateProvider,
  { clock, secret, rules }: Means,
): Promise<ProviderRow> {
  const { provider_type: type, assign_by_default = false } = input
  const { name, settings } = readProvider(type, input, rules)
  const columns = { name, assign_by_default, ...sealSettings(type, settings, userId, secret) }
  await takeTurn(q)
  if ((await countProviders(q)) >= PROVIDERS_MOST) {
    throw invalid({
      provider_type: [`There are ${PROVIDERS_MOST} providers already, which is the most. Delete one first.`],
    })
  }
  return insertProvider(q, userId, type, columns, clock.now())
}

export async function getProvider(q: Queries, id: number): Promise<ProviderRow> {
  const row = await findProvider(q, id)
  if (row === undefined) throw notFound()
  return row
}

/** Needs a transaction. Whoever sends nothing changes nothing, not even the time of the last change. */
export async function changeProvider(
  q: Queries,
  id: number,
  input: UpdateProvider,
  { clock, secret, rules }: Means,
): Promise<ProviderRow> {
  const row = await lockProvider(q, id)
  if (row === undefined) throw notFound()
  const { provider_type: type = row.provider_type } = input
  if (type !== row.provider_type) throw invalid({ provider_type: ['The provider_type cannot be changed.'] })
  if (Object.keys(input).length === 0) return row
  const current = { name: row.name, settings: settingsOf(row, secret) }
  const { name, settings } = readProvider(type, input, rules, current)
  const columns = {
    name,
    assign_by_default: input.assign_by_default ?? row.assign_by_default,
    ...sealSettings(type, settings, row.user_id, secret),
  }
  const now = clock.now()
  if (!isDeepStrictEqual({ ...settings }, { ...current.settings })) await forgetFailure(q, id, now)
  return updateProvider(q, id, columns, now)
}

/** With its assignments. */
export async function removeProvider(q: Queries, id: number): Promise<void> {
  if (!(await deleteProvider(q, id))) throw notFound()
}
