/** The settings that apply, for commands: those of the environment, and those that an admin saved on a page. */
import type { ClientBase } from 'pg'
import type { Config } from '../config/config.ts'
import { withSavedSettings } from '../config/saved-settings.ts'
import { findStoredSecret, Secret } from '../lib/secret.ts'
import { readSettingRowsOnce } from './command-store.ts'
import type { SettingSources } from './describe-settings.ts'
import { type SettingRow, toSavedSettings, unsealSettings } from './stored-settings.ts'

export interface CommandSettings {
  /** The settings that apply. */
  config: Config
  sources: SettingSources
  /** Names of saved settings that the secret can't decrypt. */
  unreadableNames: string[]
}

/** What applies as long as the database can't be read. */
export const withoutSavedSettings = (environment: Config): CommandSettings => ({
  config: environment,
  sources: { environment, values: {}, lastBackupAt: undefined },
  unreadableNames: [],
})

export async function readCommandSettings(client: ClientBase, environment: Config): Promise<CommandSettings> {
  return applySettingRows(environment, await readSettingRowsOnce(client))
}

export async function applySettingRows(environment: Config, rows: readonly SettingRow[]): Promise<CommandSettings> {
  const secretText = environment.secret ?? (await findStoredSecret(environment.dataDir))
  if (secretText === undefined) return withoutSavedSettings(environment)
  const { values, lastBackupAt, unreadableNames } = unsealSettings(new Secret(secretText), rows)
  const saved = toSavedSettings(values)
  return {
    config: withSavedSettings(environment, () => saved),
    sources: { environment, values, lastBackupAt },
    unreadableNames,
  }
}
