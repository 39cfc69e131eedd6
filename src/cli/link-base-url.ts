/** Where the links begin that commands print. */
import { applySettingRows } from '../server-settings/command-settings.ts'
import { readSettingRows } from '../server-settings/store.ts'
import type { Database } from '../storage/database.ts'
import type { Invocation } from './common/command.ts'

/** The public URL, from the environment or as an admin saved it. Without it, people on this machine can open the links. */
export async function readLinkBaseUrl({ config, note }: Invocation, db: Database): Promise<string> {
  const { config: savedConfig } = await applySettingRows(config, await readSettingRows(db))
  if (savedConfig.url !== undefined) return savedConfig.url
  note('This server has no public URL, so the link works only on this machine. Set BELFRY_URL to change that.')
  return `http://localhost:${config.port}`
}
