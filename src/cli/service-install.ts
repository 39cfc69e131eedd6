import { resolve } from 'node:path'
import { readVersion } from '../config/config.ts'
import { packageFolder } from '../lib/package-folder.ts'
import { formatCommand } from '../lib/program.ts'
import { requireRoot, requireSystemd } from '../service/admin-command.ts'
import { readDataFolder } from '../service/config-file.ts'
import { enableOffline, startService, writeService } from '../service/install.ts'
import { CONFIG_PATH, SERVICE_NAME, UNIT_ORIGIN } from '../service/layout.ts'
import { findSetupLink, readRecentLog } from '../service/log.ts'
import { findLocationProblem, locateProgram, type ProgramLocation } from '../service/program-location.ts'
import { readServiceStatus } from '../service/status.ts'
import { renderUnit } from '../service/unit.ts'
import { type Command, type Invocation, type OptionValue, UsageError } from './common/command.ts'

export const serviceInstall: Command = {
  name: 'service install',
  summary: 'install the server as a systemd service that starts now and at every boot',
  usage: 'service install [--no-start] [--port <port>] [--data <folder>] [--root <folder>] [--print]',
  details: [
    '  --no-start       write the files, but do not start the service',
    '  --port <port>    the port in the new configuration file (default: 3000)',
    '  --data <folder>  the data folder in the new configuration file (default: /var/lib/belfry)',
    '  --root <folder>  install into the system with this root folder, such as a mounted image; start nothing',
    '  --print          print the unit and change nothing',
    '',
    '  Needs root. After an upgrade, run `service install` again: it updates the unit and restarts the server. It never changes',
    '  an existing configuration file.',
  ].join('\n'),
  options: {
    'no-start': { type: 'boolean' },
    port: { type: 'string' },
    data: { type: 'string' },
    root: { type: 'string' },
    print: { type: 'boolean' },
  },
  switchesToOwner: 'never',
  async run(invocation) {
    const { options, note } = invocation
    const root = resolve(String(options['root'] ?? '/'))
    const settings = { PORT: parsePort(options['port']), BELFRY_DATA: parseDataFolder(options['data']) }
    const location = locateInside(root)
    const problem = await findLocationProblem(location, root)
    if (options['print']) {
      if (problem !== undefined) note(`${problem.message}\n${problem.hint}`)
      await printUnit(invocation, { location, dataDir: settings.BELFRY_DATA ?? (await readDataFolder(root)) })
      return 0
    }
    requireRoot()
    const shouldStart = root === '/' && !options['no-start']
    if (root === '/') await requireSystemd()
    if (problem !== undefined) throw problem
    const onChange = (text: string) => invocation.out(text)
    const hasChanged = await writeService({ root, programFolder: packageFolder, location, settings, onChange })
    if (!hasChanged) invocation.out('The unit is up to date.')
    if (root !== '/') await enableOffline(root)
    if (shouldStart) await startAndReport(invocation, hasChanged)
    await printPlaces(invocation, root)
    return 0
  },
}

function parsePort(option: OptionValue): string | undefined {
  if (option === undefined) return undefined
  const port = Number(option)
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return String(port)
  throw new UsageError('--port must be a number between 1 and 65535.')
}

function parseDataFolder(option: OptionValue): string | undefined {
  return option === undefined ? undefined : resolve(String(option))
}

/**
 * `root` may contain another system, which is not running. Its unit needs the paths that the program has while that
 * system runs.
 */
function locateInside(root: string): ProgramLocation {
  const toInside = (path: string) => (root !== '/' && path.startsWith(`${root}/`) ? path.slice(root.length) : path)
  return locateProgram(toInside(process.execPath), toInside(packageFolder))
}

async function printUnit(
  { out }: Invocation,
  { location, dataDir }: { location: ProgramLocation; dataDir: string },
): Promise<void> {
  out(await renderUnit(packageFolder, { origin: UNIT_ORIGIN, dataDir, ...location }))
}

async function startAndReport({ out, note }: Invocation, hasChanged: boolean): Promise<void> {
  try {
    await startService({ hasChanged, version: await readVersion() })
  } catch (error) {
    const log = await readRecentLog()
    note(`The service did not start. Its last log lines:\n${log.trim()}\n`)
    throw error
  }
  const { server } = await readServiceStatus()
  out(`Belfry is running at ${server?.address ?? 'an unknown address'}.`)
  const setupLink = await findSetupLink()
  if (setupLink !== undefined) out(`\nOpen this link to create your admin account. It works once:\n${setupLink}`)
}

async function printPlaces({ out }: Invocation, root: string): Promise<void> {
  const places = [
    ['Status', formatCommand('service status')],
    ['Logs', `journalctl -u ${SERVICE_NAME} -f`],
    ['Settings', `${CONFIG_PATH} (after a change: systemctl restart ${SERVICE_NAME})`],
    ['Data', await readDataFolder(root)],
    ['Commands', `run as root with --config, for example: ${formatCommand(`doctor --config ${CONFIG_PATH}`)}`],
  ]
  out(['', ...places.map(([label, text]) => `${label?.padEnd(10)}${text}`)].join('\n'))
}
