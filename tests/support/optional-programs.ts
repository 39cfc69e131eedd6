/** Programs that some tests need. Without them these tests are skipped. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findChromium } from './chromium.ts'
import { isInstalled } from './proxy-programs.ts'

export interface OptionalProgram {
  name: string
  /** The tests that need the program, such as "browser tests". */
  tests: string
  /** The Debian package that contains the program. undefined if there is none. */
  debianPackage: string | undefined
  /** How to get the program without that package. */
  hint?: string
  isAvailable(): boolean
}

const runs = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

const createProgram = (name: string, tests: string, options: Partial<OptionalProgram> = {}): OptionalProgram => ({
  name,
  tests,
  debianPackage: name,
  isAvailable: () => runs(name, '--version'),
  ...options,
})

/** Tests that need Chromium fail without it, so the run leaves out their folder. Other tests skip themselves. */
export const CHROMIUM = 'Chromium'
export const CHROMIUM_TESTS = 'tests/browser/**'

export const optionalPrograms: readonly OptionalProgram[] = [
  createProgram(CHROMIUM, 'browser tests', {
    debianPackage: 'chromium',
    hint: 'set BELFRY_CHROMIUM to its path',
    isAvailable: () => findChromium() !== undefined,
  }),
  createProgram('fping', 'ping tests', {
    hint: 'install ping',
    isAvailable: () => existsSync('/usr/bin/fping') || existsSync('/usr/bin/ping'),
  }),
  ...(['nginx', 'haproxy', 'caddy'] as const).map((name) =>
    createProgram(name, `tests of the proxy ${name}`, { isAvailable: () => isInstalled(name) }),
  ),
  createProgram('pgbouncer', 'tests of connection poolers', {
    isAvailable: () => existsSync('/usr/sbin/pgbouncer'),
  }),
  createProgram('curl', 'tests of the commands in the documentation'),
  createProgram('systemd-analyze', 'tests of the systemd unit', { debianPackage: 'systemd' }),
  createProgram('groff', 'tests of the manual page'),
  createProgram('script', 'tests at a terminal', { debianPackage: 'bsdutils' }),
  createProgram('zsh', 'tests of the completion for zsh'),
  createProgram('fish', 'tests of the completion for fish'),
  createProgram('python3', 'tests of the documented signature check in Python'),
  createProgram('php', 'tests of the documented signature check in PHP', { debianPackage: 'php-cli' }),
  createProgram('root', 'tests with other users and small disks', {
    debianPackage: undefined,
    hint: 'run the tests as root',
    isAvailable: () => process.getuid?.() === 0,
  }),
]

/** Says which tests are skipped, and how to run them, one line for each program. */
export function describeSkipped(missing: readonly OptionalProgram[]): string[] {
  return missing.map(({ name, tests, debianPackage, hint }) => {
    const ways = [debianPackage && `apt-get install ${debianPackage}`, hint].filter(Boolean)
    return `  ${tests}: ${name === 'root' ? 'they need root' : `${name} is missing`} (${ways.join(', or ')})`
  })
}
