/** Converts channels between the database, which stores secrets encrypted, and API records, which show only hints. */

import { isDeepStrictEqual } from 'node:util'
import type { Secret } from '../lib/secret.ts'
import type { ChannelSettings } from './common/channel.ts'
import { createHint } from './field-values.ts'
import { type ChannelType, getChannelKind } from './kinds.ts'
import { type ChannelRecord, toHintFieldName } from './schema.ts'
import type { ChannelRow } from './store.ts'

const isSecretField = (type: ChannelType, field: string) => getChannelKind(type).fields[field]?.isSecret === true

/** Splits the settings into two columns of the table: `settings` is readable, `secrets` is encrypted. */
export function sealChannelSettings(type: ChannelType, settings: ChannelSettings, teamId: number, secret: Secret) {
  const secrets = pickSecrets(type, settings)
  return {
    settings: Object.fromEntries(Object.entries(settings).filter(([field]) => !isSecretField(type, field))),
    secrets:
      Object.keys(secrets).length === 0 ? null : secret.seal('provider secrets', teamId, JSON.stringify(secrets)),
  }
}

/** Like `sealChannelSettings`. Secrets that did not change keep their ciphertext, so that the audit log sees no change. */
export function sealChangedSettings(row: ChannelRow, settings: ChannelSettings, secret: Secret) {
  const type = row.provider_type
  const sealed = sealChannelSettings(type, settings, row.user_id, secret)
  const currentSecrets = pickSecrets(type, readChannelSettings(row, secret))
  return isDeepStrictEqual(pickSecrets(type, settings), currentSecrets) ? { ...sealed, secrets: row.secrets } : sealed
}

const pickSecrets = (type: ChannelType, settings: ChannelSettings) =>
  Object.fromEntries(Object.entries(settings).filter(([field]) => isSecretField(type, field)))

export function readChannelSettings(row: ChannelRow, secret: Secret): ChannelSettings {
  const { secrets } = row
  const unsealedSecrets = secrets === null ? {} : JSON.parse(secret.unseal('provider secrets', row.user_id, secrets))
  return { ...row.settings, ...unsealedSecrets }
}

export function toChannelRecord(row: ChannelRow, secret: Secret): ChannelRecord {
  const type = row.provider_type
  const settings = readChannelSettings(row, secret)
  // The fields have the order of the kind's definition, because jsonb does not preserve the order.
  const publicFields = Object.entries(getChannelKind(type).fields).map(([name, field]) =>
    field.isSecret
      ? [toHintFieldName(name, field), createHint(field, settings[name] ?? null)]
      : [name, settings[name] ?? null],
  )
  return {
    id: row.id,
    provider_type: type,
    name: row.name,
    assign_by_default: row.assign_by_default,
    ...Object.fromEntries(publicFields),
    failure: row.failure,
    failed_at: row.failed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
