/**
 * npm test: runs all tests. Finds or installs Chromium and fping; without Chromium, skips the browser tests and says so.
 * npm run test:fast: skips the browser and fault tests, and installs nothing.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const chromiumPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const findChromium = () => chromiumPaths.find((path) => existsSync(path))

/** Installs a Debian package. Does nothing unless we are root on Debian. */
function installPackage(name: string, testKind: string): void {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return
  console.log(`Installing ${name} for the ${testKind} tests (apt-get install ${name}).`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', name]]) {
    spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env })
  }
}

function installChromium(): string | undefined {
  installPackage('chromium', 'browser')
  return findChromium()
}

const options = process.argv.slice(2)
const isFast = options.includes('--fast')
const args = ['run', ...options.filter((option) => option !== '--fast')]

if (isFast) runTests([...args, '--exclude', 'tests/browser/**', '--exclude', 'tests/faults/**'])

if (!existsSync('/usr/bin/fping') && !existsSync('/usr/bin/ping')) installPackage('fping', 'ping')

const chromium = process.env['BELFRY_CHROMIUM'] ?? findChromium() ?? installChromium()

if (chromium === undefined) {
  if (process.env['CI'] === 'true') {
    console.error("Chromium not found, so the browser tests can't run. Install it, or set BELFRY_CHROMIUM to its path.")
    process.exit(1)
  }
  console.log('Chromium not found, so the browser tests are skipped. Install it, or set BELFRY_CHROMIUM to its path.')
  args.push('--exclude', 'tests/browser/**')
}

runTests(args, chromium)

function runTests(args: readonly string[], chromium?: string): never {
  const { status } = spawnSync('vitest', args, {
    stdio: 'inherit',
    env: { ...process.env, ...(chromium && { BELFRY_CHROMIUM: chromium }) },
  })
  process.exit(status ?? 1)
}
