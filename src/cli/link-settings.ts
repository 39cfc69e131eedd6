/** What commands need to know about the server whose links they print. */
import type { Config } from '../config/config.ts'
import { applySettingRows } from '../server-settings/command-settings.ts'
import { readSettingRows } from '../server-settings/store.ts'
import type { Database } from '../storage/database.ts'
import type { Invocation } from './common/command.ts'

/** The settings of the environment, and those that an admin saved. */
export async function readSavedConfig({ config }: Invocation, db: Database): Promise<Config> {
  return (await applySettingRows(config, await readSettingRows(db))).config
}

/** The public URL. Without it, people on this machine can open the links. */
export function getLinkBaseUrl({ note }: Invocation, config: Config): string {
  if (config.url !== undefined) return config.url
  note('This server has no public URL, so the link works only on this machine. Set BELFRY_URL to change that.')
  return `http://localhost:${config.port}`
}
