/** Creates a new Debian system in a folder, with the release and the package sources of this machine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, type StartedProgram, start, type Variables } from './run.ts'
import { shareFolder } from './shared-folder.ts'

const SOURCES = '/etc/apt/sources.list'
const SOURCES_FOLDER = '/etc/apt/sources.list.d'

function listSources(): string[] {
  const names = existsSync(SOURCES_FOLDER) ? readdirSync(SOURCES_FOLDER) : []
  const files = names.filter((name) => /\.(list|sources)$/.test(name)).map((name) => join(SOURCES_FOLDER, name))
  return [...(existsSync(SOURCES) ? [SOURCES] : []), ...files]
}

/** Returns the name of this machine's Debian release, such as `trixie`. */
function readCodename(): string {
  return /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable'
}

/** Resolves with the output when the program has succeeded. Throws if it fails. Other programs can run in the meantime. */
export async function runInBackground(program: string, args: string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed (exit code ${code}):\n${output}`)
  return output
}

export interface DebianChroot {
  folder: string
  /** Runs a shell script as root and returns its output. Throws if it fails. */
  run(script: string, env?: Variables): string
  /** Starts a program that runs until `stop` is called. */
  start(command: string[], env?: Variables): StartedProgram
}

/** The mount exists only in the command's namespace, so the folder can be deleted at any time. */
const enterScript = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'

/**
 * Creates the system that `debian:stable-slim` contains, with documentation. apt keeps its lists of packages. With `force-unsafe-io`,
 * dpkg doesn't wait until every file of a package is on the disk.
 */
async function createDebian(folder: string): Promise<void> {
  const options = ['--variant=minbase', '--format=dir', '--skip=cleanup/apt', '--dpkgopt=force-unsafe-io']
  await runInBackground('mmdebstrap', [...options, readCodename(), folder, ...listSources()])
}

/** Returns the folder of a new Debian. Nobody may change it. */
export const shareDebian = () => shareFolder('debian', createDebian)

const system = {
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LC_ALL: 'C.UTF-8',
  DEBIAN_FRONTEND: 'noninteractive',
}

/** `folder` must not exist. The system contains apt and systemd, but systemd is not running. */
export async function createDebianChroot(folder: string): Promise<DebianChroot> {
  await runInBackground('cp', ['-a', await shareDebian(), folder])
  copyFileSync('/etc/resolv.conf', join(folder, 'etc/resolv.conf'))
  const enter = (command: string[]) => ['--mount', 'sh', '-c', enterScript, folder, ...command]
  const variables = Object.entries(system).map(([name, value]) => `${name}=${value}`)
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', 'systemd']
  await runInBackground('unshare', enter(['env', '-i', ...variables, ...install]))
  return {
    folder,
    run: (script, env) => run('unshare', enter(['sh', '-ec', script]), { cwd: '/', env: { ...system, ...env } }),
    start: (command, env) => start('unshare', enter(command), { cwd: '/', env: { ...system, ...env } }),
  }
}
