/** npm test: everything. What the browser and ping tests need is found, installed, or missed out loud. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const installed = () => places.find((path) => existsSync(path))

/** As root on Debian; elsewhere it is for others to do. */
function install(name: string, what: string): void {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return
  console.log(`Installing ${name} for the ${what} tests (apt-get install ${name}).`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', name]]) {
    spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env })
  }
}

function installChromium(): string | undefined {
  install('chromium', 'browser')
  return installed()
}

if (!existsSync('/usr/bin/fping') && !existsSync('/usr/bin/ping')) install('fping', 'ping')

const chromium = process.env['BELFRY_CHROMIUM'] ?? installed() ?? installChromium()
const args = ['run', ...process.argv.slice(2)]

if (chromium === undefined) {
  if (process.env['CI'] === 'true') {
    console.error('No Chromium, so the browser tests cannot run. Install it, or set BELFRY_CHROMIUM to its path.')
    process.exit(1)
  }
  console.log('No Chromium, so the browser tests are left out. Install it, or set BELFRY_CHROMIUM to its path.')
  args.push('--exclude', 'tests/browser/**')
}

const { status } = spawnSync('vitest', args, {
  stdio: 'inherit',
  env: { ...process.env, ...(chromium && { BELFRY_CHROMIUM: chromium }) },
})
process.exit(status ?? 1)
