/** The paths and names of the service. The Debian package uses the same ones, except for the unit's path. */
import { relative } from 'node:path'

export const SERVICE_NAME = 'belfry'
/** The system user and group that run the server. */
export const SERVICE_USER = 'belfry'
export const CONFIG_FOLDER = '/etc/belfry'
export const CONFIG_PATH = `${CONFIG_FOLDER}/belfry.env`
/** The service's StateDirectory: its working folder, and where it keeps its data unless the configuration names another folder. */
export const STATE_FOLDER = `/var/lib/${SERVICE_NAME}`
/** The folder for units of the administrator. They take precedence over those of packages. */
export const UNIT_FOLDER = '/etc/systemd/system'
export const UNIT_FILE = `${SERVICE_NAME}.service`
export const UNIT_PATH = `${UNIT_FOLDER}/${UNIT_FILE}`
/** The link that `systemctl enable` creates, so that the unit starts at boot. */
export const ENABLED_LINK = `${UNIT_FOLDER}/multi-user.target.wants/${UNIT_FILE}`
/** Where packages of distributions put their units. */
export const PACKAGED_UNIT_FOLDERS = ['/usr/lib/systemd/system', '/lib/systemd/system']

/**
 * The first line of the units that `belfry service install` writes. Belfry updates and removes only units with this
 * line.
 */
export const UNIT_ORIGIN = 'Written by `belfry service install`, which also updates this file.'

/** What `ProtectHome` hides from a service. */
const homeFolders = ['/home', '/root', '/run/user']

export const isInHomeFolder = (path: string) => homeFolders.some((folder) => isInside(path, folder))

export function isInside(path: string, folder: string): boolean {
  const rest = relative(folder, path)
  return rest !== '..' && !rest.startsWith('../')
}
