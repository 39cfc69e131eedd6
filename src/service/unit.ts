/**
 * Renders the systemd unit from packaging/systemd/belfry.service. `belfry service install` writes it to /etc/systemd/system,
 * with the paths of the program that runs the command. The Debian package contains it in /usr/lib/systemd/system, with the
 * paths below /usr/lib/belfry. Everything else is the same in both.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const SERVICE_NAME = 'belfry'
/** The system user and group that run the server. */
export const SERVICE_USER = 'belfry'
export const CONFIG_PATH = '/etc/belfry/belfry.env'
/** The service's StateDirectory: its working folder, and where it keeps its data unless the configuration names another folder. */
export const STATE_FOLDER = `/var/lib/${SERVICE_NAME}`

export interface UnitOptions {
  /** The first line of the unit: who wrote it, and so who updates it. */
  origin: string
  /** Absolute path of Node 26. */
  node: string
  /** Absolute path of bin/belfry.js. */
  program: string
  dataDir?: string
  /** Whether the program is in a home folder, which the service must then be able to read. */
  needsHome?: boolean
}

/** The program's folder holds the template, so `templateFolder` is `packageFolder` in an installed package and in a clone. */
export async function renderUnit(templateFolder: string, options: UnitOptions): Promise<string> {
  const { origin, node, program, dataDir = STATE_FOLDER, needsHome = false } = options
  const template = await readFile(join(templateFolder, 'packaging/systemd/belfry.service'), 'utf8')
  const values: Record<string, string | undefined> = {
    origin,
    name: SERVICE_NAME,
    user: SERVICE_USER,
    config: CONFIG_PATH,
    stateFolder: STATE_FOLDER,
    node: quote(node),
    program: quote(program),
    // systemd creates the state directory itself, and lets the service write there.
    readWritePaths: dataDir === STATE_FOLDER ? undefined : `ReadWritePaths=${quote(dataDir)}`,
    protectHome: needsHome ? 'read-only' : 'yes',
  }
  return template
    .split('\n')
    .filter((line) => line !== '{{readWritePaths}}' || values['readWritePaths'] !== undefined)
    .join('\n')
    .replace(/\{\{(\w+)\}\}/g, (_placeholder, name: string) => values[name] ?? '')
}

/** systemd replaces %-sequences everywhere. */
const escapePercent = (text: string) => text.replaceAll('%', '%%')

/** Paths in ExecStart and ReadWritePaths end at a space unless they are quoted. ExecStart also replaces variables after a `$`. */
function quote(path: string): string {
  const escaped = escapePercent(path).replaceAll('$', '$$$$')
  return /[\s"'\\]/.test(path) ? `"${escaped.replace(/["\\]/g, '\\$&')}"` : escaped
}
