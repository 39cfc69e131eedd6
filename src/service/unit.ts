/**
 * Renders the systemd unit from packaging/systemd/belfry.service. `belfry service install` writes it to /etc/systemd/system,
 * with the paths of the program that runs the command. The Debian package contains it in /usr/lib/systemd/system, with the
 * paths below /usr/lib/belfry and another first line. Everything else is the same in both.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CONFIG_PATH, isInHomeFolder, isInside, SERVICE_NAME, SERVICE_USER, STATE_FOLDER } from './layout.ts'

export interface UnitOptions {
  /** The first line of the unit: who wrote it, and so who updates it. */
  origin: string
  /** Absolute path of the Node program. */
  node: string
  /** Absolute path of bin/belfry.js. */
  program: string
  dataDir?: string
  /** Whether the program is in a home folder, which the service must then be able to read. */
  needsHome?: boolean
}

/** `programFolder` is the folder with Belfry's package.json. */
export async function renderUnit(programFolder: string, options: UnitOptions): Promise<string> {
  const { origin, node, program, dataDir = STATE_FOLDER, needsHome = false } = options
  const template = await readFile(join(programFolder, 'packaging/systemd/belfry.service'), 'utf8')
  const values: Record<string, string> = {
    origin,
    name: SERVICE_NAME,
    user: SERVICE_USER,
    config: CONFIG_PATH,
    stateFolder: STATE_FOLDER,
    node: quoteArgument(node),
    program: quoteArgument(program),
    // systemd creates the state directory itself, and lets the service write there.
    readWritePaths: isInside(dataDir, STATE_FOLDER) ? '' : `ReadWritePaths=${quotePath(dataDir)}\n`,
    // With `ProtectHome=yes`, the service could use neither a program nor a data folder in a home folder.
    // ReadWritePaths doesn't change that.
    protectHome: needsHome || isInHomeFolder(dataDir) ? 'read-only' : 'yes',
  }
  // If the value of an optional line is empty, its line break is removed, too.
  return template
    .replace('{{readWritePaths}}\n', '{{readWritePaths}}')
    .replace(/\{\{(\w+)\}\}/g, (_placeholder, name: string) => values[name] ?? '')
}

/** A path ends at a space unless it is quoted, and systemd replaces sequences that begin with %. */
function quotePath(path: string): string {
  const escaped = path.replaceAll('%', '%%')
  return /[\s"'\\]/.test(path) ? `"${escaped.replace(/["\\]/g, '\\$&')}"` : escaped
}

/** In commands, systemd also replaces variables, which begin with $. */
const quoteArgument = (path: string) => quotePath(path).replaceAll('$', '$$$$')
