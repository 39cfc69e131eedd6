/** The configuration file of the service. It is created once, and then belongs to the administrator. */
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseSettingsFile } from '../config/settings-file.ts'
import { StartupError } from '../lib/startup-error.ts'
import { CONFIG_PATH, STATE_FOLDER } from './layout.ts'

/** The file can contain secrets. The service's group can read it, but only root can change it. */
const CONFIG_MODE = 0o640

export interface NewConfigSettings {
  PORT?: string | undefined
  BELFRY_DATA?: string | undefined
}

/** Creates the file from packaging/belfry.env, with some settings changed. Returns false if the file already exists. */
export async function createConfigFile(
  root: string,
  options: { programFolder: string; gid: number; settings: NewConfigSettings },
): Promise<boolean> {
  const path = join(root, CONFIG_PATH)
  const givenNames = Object.entries(options.settings).flatMap(([name, text]) => (text === undefined ? [] : [name]))
  if ((await stat(path).catch(() => undefined)) !== undefined) {
    if (givenNames.length === 0) return false
    throw new StartupError(
      `${path} exists already, and \`service install\` doesn't change it.`,
      `Set ${givenNames.join(' and ')} in this file, and run \`service install\` without --port and --data.`,
    )
  }
  const template = await readFile(join(options.programFolder, 'packaging/belfry.env'), 'utf8')
  await mkdir(dirname(path), { recursive: true, mode: 0o755 })
  await writeFile(path, withSettings(template, { BELFRY_DATA: STATE_FOLDER, ...options.settings }), {
    flag: 'wx',
    mode: 0o600,
  })
  await chown(path, 0, options.gid)
  await chmod(path, CONFIG_MODE)
  return true
}

/** Replaces the lines of these settings, which may be commented out, or adds them at the end. */
export function withSettings(fileText: string, settings: NewConfigSettings): string {
  let text = fileText
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined) continue
    const line = `${name}=${/^[\w./:-]*$/.test(value) ? value : `"${value.replace(/["\\`$]/g, '\\$&')}"`}`
    const pattern = new RegExp(`^#? ?${name}=.*$`, 'm')
    text = pattern.test(text) ? text.replace(pattern, () => line) : `${text.trimEnd()}\n${line}\n`
  }
  return text
}

/** Reads the service's data folder from the configuration file, or returns the default if the file is not readable. */
export async function readDataFolder(root: string): Promise<string> {
  const text = await readFile(join(root, CONFIG_PATH), 'utf8').catch(() => undefined)
  if (text === undefined) return STATE_FOLDER
  const entry = parseSettingsFile(text).entries.findLast(({ name }) => name === 'BELFRY_DATA')
  return resolve(STATE_FOLDER, entry?.text || 'data')
}
