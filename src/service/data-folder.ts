/** Creates the data folder of the service. systemd creates the default one when the service starts. */
import { constants } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { canRedirect, findOwnerToSwitchTo } from '../lib/privileges.ts'
import { StartupError } from '../lib/startup-error.ts'
import { isRoot } from '../storage/embedded/identity.ts'
import { CONFIG_PATH, SERVICE_USER } from './layout.ts'
import { findSystemUser, type SystemUser } from './system-user.ts'

/** Creates a folder that belongs to the user of the service. */
export async function createServiceFolder(path: string, user: SystemUser): Promise<void> {
  if (canRedirect(user, path)) {
    throw new StartupError(
      `Root can't create the folder ${path} safely, because others can replace a folder above it.`,
      `Choose a folder below folders that only root can change, or create it yourself, with ${SERVICE_USER} as its owner.`,
    )
  }
  await mkdir(dirname(path), { recursive: true })
  await mkdir(path, { mode: 0o700 })
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    await folder.chown(user.uid, user.gid)
  } finally {
    await folder.close()
  }
}

/**
 * Creates the data folder with the right owner if root runs a command before the service has started for the first
 * time. Otherwise the folder would belong to root, and the service could not use it.
 */
export async function createMissingServiceFolder(configFile: string | undefined, dataDir: string): Promise<void> {
  if (!isRoot() || configFile !== CONFIG_PATH || findOwnerToSwitchTo(dataDir) !== undefined) return
  if ((await stat(dataDir).catch(() => undefined)) !== undefined) return
  const user = await findSystemUser('/')
  if (user !== undefined) await createServiceFolder(dataDir, user)
}
