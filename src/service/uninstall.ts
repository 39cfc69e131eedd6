/** Removes the systemd service. Data and configuration stay, unless they are deleted explicitly. */
import { readFile, rm, stat } from 'node:fs/promises'
import { StartupError } from '../lib/startup-error.ts'
import { isSystemdRunning, runAdminCommand, tryAdminCommand } from './admin-command.ts'
import { readDataFolder } from './config-file.ts'
import { CONFIG_FOLDER, ENABLED_LINK, SERVICE_USER, STATE_FOLDER, UNIT_FILE, UNIT_ORIGIN, UNIT_PATH } from './layout.ts'
import { deleteSystemUser, findSystemUser } from './system-user.ts'

/** Throws if there is no unit, or if somebody else wrote it. */
export async function requireOwnUnit(): Promise<void> {
  const text = await readFile(UNIT_PATH, 'utf8').catch(() => undefined)
  if (text === undefined) {
    throw new StartupError(
      `The service is not installed: there is no ${UNIT_PATH}.`,
      'If a package of this system installed Belfry, remove that package: `apt remove belfry`.',
    )
  }
  if (text.includes(UNIT_ORIGIN)) return
  throw new StartupError(
    `${UNIT_PATH} was not written by \`service install\`, so it is not removed.`,
    `Run \`systemctl disable --now ${UNIT_FILE}\`, and delete the file.`,
  )
}

/** Stops and disables the service, and removes its unit. */
export async function removeService(): Promise<void> {
  if (isSystemdRunning()) await runAdminCommand(['systemctl', 'disable', '--now', UNIT_FILE])
  await rm(ENABLED_LINK, { force: true })
  await rm(UNIT_PATH)
  if (!isSystemdRunning()) return
  await runAdminCommand(['systemctl', 'daemon-reload'])
  // `reset-failed` reports an error if the service has not failed, which is the usual case. So the error is ignored.
  await tryAdminCommand(['systemctl', 'reset-failed', UNIT_FILE])
}

/** Deletes data, configuration and user. Calls `onChange` with each step, as a sentence. */
export async function purgeService(onChange: (text: string) => void): Promise<void> {
  const user = await findSystemUser('/')
  // systemd created the state folder, even if the data is in another folder.
  for (const folder of new Set([await readDataFolder('/'), STATE_FOLDER])) {
    const owner = (await stat(folder).catch(() => undefined))?.uid
    if (owner === undefined) continue
    // The configuration can name any folder, so a folder is deleted only if the service's user owns it.
    const isOwn = owner === user?.uid
    // The user could replace a folder with a link while it is being deleted. rm opens each folder once, and deletes
    // nothing outside of it.
    if (isOwn) await runAdminCommand(['rm', '-rf', '--', folder])
    onChange(isOwn ? `Deleted ${folder}.` : `Kept ${folder}, because it doesn't belong to the user ${SERVICE_USER}.`)
  }
  await rm(`${UNIT_PATH}.d`, { recursive: true, force: true })
  await rm(CONFIG_FOLDER, { recursive: true, force: true })
  onChange(`Deleted ${CONFIG_FOLDER}.`)
  if (user === undefined) return
  await deleteSystemUser()
  onChange(`Deleted the user ${SERVICE_USER}.`)
}
