/** A provider between the database and whoever reads it: its secrets are sealed there, and shown to nobody. */
import { hintOf } from '../lib/hint.ts'
import type { Secret } from '../lib/secret.ts'
import { kindOf, type ProviderType } from './kinds.ts'
import type { Settings } from './provider.ts'
import { hintName, type ProviderRecord } from './schema.ts'
import type { ProviderRow } from './store.ts'

const isSecret = (type: ProviderType, field: string) => kindOf(type).fields[field]?.secret === true

/** In the two columns in which they are kept. */
export function sealSettings(type: ProviderType, settings: Settings, owner: number, secret: Secret) {
  const entries = Object.entries(settings)
  const hidden = entries.filter(([field]) => isSecret(type, field))
  return {
    settings: Object.fromEntries(entries.filter(([field]) => !isSecret(type, field))),
    secrets:
      hidden.length === 0 ? null : secret.seal('provider secrets', owner, JSON.stringify(Object.fromEntries(hidden))),
  }
}

export function settingsOf(row: ProviderRow, secret: Secret): Settings {
  const { secrets } = row
  const hidden = secrets === null ? {} : JSON.parse(secret.unseal('provider secrets', row.user_id, secrets))
  return { ...row.settings, ...hidden }
}

export function recordOf(row: ProviderRow, secret: Secret): ProviderRecord {
  const type = row.provider_type
  const settings = settingsOf(row, secret)
  // In the order of the kind: the database keeps its own.
  const shown = Object.keys(kindOf(type).fields).map((field) =>
    isSecret(type, field) ? [hintName(field), hintOf(settings[field] ?? '')] : [field, settings[field] ?? null],
  )
  return {
    id: row.id,
    provider_type: type,
    name: row.name,
    assign_by_default: row.assign_by_default,
    ...Object.fromEntries(shown),
    failure: row.failure,
    failed_at: row.failed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
