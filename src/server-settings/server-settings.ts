/** Keeps the settings that admins save on a page in memory, so that no request needs a query. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { type SavedSettings, withSavedSettings } from '../config/saved-settings.ts'
import type { Secret } from '../lib/secret.ts'
import type { Queries } from '../storage/transaction.ts'
import { writeSettingsCopy } from './settings-copy.ts'
import { readSettingRows } from './store.ts'
import { type DecryptedSettings, toSavedSettings, unsealSettings } from './stored-settings.ts'

interface Deps {
  /** The settings of the environment and of the configuration file. */
  config: Config
  secret: Secret
  log: Logger
}

export class ServerSettings {
  /** The settings that apply. `url` and `mail` change when an admin saves them. */
  readonly config: Config
  readonly #deps: Deps
  #decrypted: DecryptedSettings = { values: {}, lastBackupAt: undefined, unreadableNames: [] }
  #saved: SavedSettings = {}
  #savedJson = ''
  #unreadable = ''
  readonly #listeners: (() => void)[] = []
  #startedReads = 0
  #appliedRead = 0

  constructor(deps: Deps) {
    this.#deps = deps
    this.config = withSavedSettings(deps.config, () => this.#saved)
  }

  /** The settings of the environment and of the configuration file. */
  get environment(): Config {
    return this.#deps.config
  }

  get values(): DecryptedSettings['values'] {
    return this.#decrypted.values
  }

  get lastBackupAt(): Date | undefined {
    return this.#decrypted.lastBackupAt
  }

  /** `listener` is called after the public URL or the mail server has changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Call it after every change by this node, and regularly, because other nodes and commands change settings, too. */
  async refresh(db: Queries): Promise<void> {
    const read = ++this.#startedReads
    const rows = await readSettingRows(db)
    // Reads can overlap. If a read that began later has already been applied, these settings are older.
    if (read < this.#appliedRead) return
    this.#appliedRead = read
    const { secret, log } = this.#deps
    this.#decrypted = unsealSettings(secret, rows)
    const unreadable = this.#decrypted.unreadableNames.join(', ')
    if (unreadable !== '' && unreadable !== this.#unreadable) {
      log.warn({ names: unreadable }, 'server settings cannot be decrypted with this secret: save them again')
    }
    this.#unreadable = unreadable
    this.#apply(toSavedSettings(this.#decrypted.values))
  }

  #apply(saved: SavedSettings): void {
    const savedJson = JSON.stringify(saved)
    if (savedJson === this.#savedJson) return
    this.#saved = saved
    this.#savedJson = savedJson
    writeSettingsCopy(this.#deps.config.dataDir, saved)
    for (const listener of this.#listeners) listener()
  }
}
