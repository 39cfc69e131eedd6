/** Encrypts and decrypts the settings that admins save on a page. */
import type { SavedSettings } from '../config/saved-settings.ts'
import { parseRoleMap, type SingleSignOnConfig } from '../config/single-sign-on.ts'
import type { Secret } from '../lib/secret.ts'
import { type MailServer, toMailConfig } from './mail-server.ts'
import type { StoredMailTest } from './mail-test.ts'

export interface StoredValues {
  public_url: { url: string; savedFrom: string | null }
  mail_server: MailServer
  mail_test: StoredMailTest
  single_sign_on: StoredSingleSignOn
  /** Whether backups are made without `belfry backup`, for example by the provider of the database. */
  other_backups: true
}

export interface StoredSingleSignOn extends Omit<SingleSignOnConfig, 'roleMap'> {
  /** As the admin entered it. Empty: none. */
  roleMapText: string
}

type StoredName = keyof StoredValues

/**
 * The row with the time of the last `belfry backup`. It has no value, and so it needs no secret: the command may run on a
 * machine that doesn't have the secret.
 */
export const LAST_BACKUP_NAME = 'last_backup'

export interface SettingRow {
  name: StoredName | typeof LAST_BACKUP_NAME
  value: Buffer
  updatedAt: Date
}

/** The settings belong to the whole installation, and user ids begin with 1. */
const NO_OWNER_ID = 0

export function sealSetting<Name extends StoredName>(
  secret: Secret,
  name: Name,
  value: StoredValues[Name],
  now: Date,
): SettingRow {
  return { name, value: secret.seal('server settings', NO_OWNER_ID, JSON.stringify({ [name]: value })), updatedAt: now }
}

export interface DecryptedSettings {
  values: Partial<StoredValues>
  lastBackupAt: Date | undefined
  /** Names of settings that this secret can't decrypt. */
  unreadableNames: string[]
}

/** The name is part of the encrypted text, so that the value of one setting can't replace that of another. */
export function unsealSettings(secret: Secret, rows: readonly SettingRow[]): DecryptedSettings {
  const result: DecryptedSettings = { values: {}, lastBackupAt: undefined, unreadableNames: [] }
  for (const { name, value, updatedAt } of rows) {
    if (name === LAST_BACKUP_NAME) {
      result.lastBackupAt = updatedAt
      continue
    }
    try {
      const decrypted = JSON.parse(secret.unseal('server settings', NO_OWNER_ID, value)) as Partial<StoredValues>
      Object.assign(result.values, { [name]: decrypted[name] })
    } catch {
      result.unreadableNames.push(name)
    }
  }
  return result
}

export function toSavedSettings({
  public_url: publicUrl,
  mail_server: mailServer,
  single_sign_on: singleSignOn,
}: Partial<StoredValues>): SavedSettings {
  const mail = mailServer && toMailConfig(mailServer)
  return {
    ...(publicUrl && { url: publicUrl.url }),
    ...(publicUrl?.savedFrom && { signInOrigin: publicUrl.savedFrom }),
    ...(mail && { mail }),
    ...(singleSignOn && { singleSignOn: toSingleSignOnConfig(singleSignOn) }),
  }
}

function toSingleSignOnConfig({ roleMapText, ...settings }: StoredSingleSignOn): SingleSignOnConfig {
  return { ...settings, roleMap: roleMapText === '' ? [] : parseRoleMap(roleMapText) }
}
