/** Installs the systemd service, or updates its unit. */
import { lstat, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartupError } from '../lib/startup-error.ts'
import { runAdminCommand } from './admin-command.ts'
import { createConfigFile, type NewConfigSettings, readDataFolder } from './config-file.ts'
import { createServiceFolder } from './data-folder.ts'
import {
  CONFIG_PATH,
  ENABLED_LINK,
  isInside,
  PACKAGED_UNIT_FOLDERS,
  SERVICE_NAME,
  SERVICE_USER,
  STATE_FOLDER,
  UNIT_FILE,
  UNIT_ORIGIN,
  UNIT_PATH,
} from './layout.ts'
import type { ProgramLocation } from './program-location.ts'
import { readServiceStatus } from './status.ts'
import { ensureSystemUser, type SystemUser } from './system-user.ts'
import { renderUnit } from './unit.ts'

export interface InstallOptions {
  /** The root folder of the system that gets the service. `/` is the running system. */
  root: string
  programFolder: string
  location: ProgramLocation
  settings: NewConfigSettings
  /** Called after each change, with a sentence about it. */
  onChange(text: string): void
}

/** Writes everything but starts nothing. Returns whether the unit is new or changed. */
export async function writeService(options: InstallOptions): Promise<boolean> {
  const { root, programFolder, settings, onChange } = options
  await refuseForeignUnit(root)
  const { user, isNew } = await ensureSystemUser(root)
  if (isNew) onChange(`Created the system user ${SERVICE_USER}.`)
  const isNewConfig = await createConfigFile(root, { programFolder, gid: user.gid, settings })
  if (isNewConfig) onChange(`Created the configuration ${join(root, CONFIG_PATH)}.`)
  const dataDir = await readDataFolder(root)
  if (await createDataFolder(root, dataDir, user)) onChange(`Created the data folder ${join(root, dataDir)}.`)
  return writeUnit(options, dataDir)
}

/** A unit below /etc would silently override the unit of a package, and would be outdated after the package's next update. */
async function refuseForeignUnit(root: string): Promise<void> {
  for (const folder of PACKAGED_UNIT_FOLDERS) {
    const path = join(root, folder, UNIT_FILE)
    if ((await stat(path).catch(() => undefined)) === undefined) continue
    throw new StartupError(
      `The service is already installed by a package of this system (${path}).`,
      `Use \`systemctl enable --now ${SERVICE_NAME}\`, or remove the package first.`,
    )
  }
  const path = join(root, UNIT_PATH)
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined || text.includes(UNIT_ORIGIN)) return
  throw new StartupError(
    `${path} was not written by \`service install\`, so it is not replaced.`,
    'Move this file elsewhere, and run the command again.',
  )
}

/**
 * systemd creates the state directory of the service. Any other data folder must exist before the service starts,
 * because the unit names it in ReadWritePaths.
 */
async function createDataFolder(root: string, dataDir: string, user: SystemUser): Promise<boolean> {
  const path = join(root, dataDir)
  if (isInside(dataDir, STATE_FOLDER) || (await stat(path).catch(() => undefined)) !== undefined) return false
  await createServiceFolder(path, user)
  return true
}

async function writeUnit(
  { root, programFolder, location, onChange }: InstallOptions,
  dataDir: string,
): Promise<boolean> {
  const path = join(root, UNIT_PATH)
  const text = await renderUnit(programFolder, { origin: UNIT_ORIGIN, dataDir, ...location })
  const previousText = await readFile(path, 'utf8').catch(() => undefined)
  if (text === previousText) return false
  await mkdir(dirname(path), { recursive: true })
  // systemd may read the file at any time, so it must never be incomplete.
  await writeFile(`${path}.new`, text, { mode: 0o644 })
  await rename(`${path}.new`, path)
  onChange(`${previousText === undefined ? 'Wrote' : 'Updated'} the unit ${path}.`)
  return true
}

/** Does what `systemctl enable` does, but in a system that is not running. */
export async function enableOffline(root: string): Promise<void> {
  const link = join(root, ENABLED_LINK)
  if ((await lstat(link).catch(() => undefined)) !== undefined) return
  await mkdir(dirname(link), { recursive: true })
  await symlink(UNIT_PATH, link)
}

/**
 * Starts the service now and at every boot. If it is running, restarts it only if its unit has changed, or if it runs another
 * version of the program. Waits until the server is ready.
 */
export async function startService({ hasChanged, version }: { hasChanged: boolean; version: string }): Promise<void> {
  await runAdminCommand(['systemctl', 'daemon-reload'])
  await runAdminCommand(['systemctl', 'enable', UNIT_FILE])
  const { state, server } = await readServiceStatus()
  const isOutdated = state === 'active' && (hasChanged || server?.version !== version)
  await runAdminCommand(['systemctl', isOutdated ? 'restart' : 'start', UNIT_FILE])
}
