/** npm test: everything. The browser tests need a Chromium, which is found, installed, or missed out loud. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const installed = () => places.find((path) => existsSync(path))

function installChromium(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return undefined
  console.log('No Chromium here: installing it for the browser tests (apt-get install chromium).')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    spawnSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 'ignore', 'inherit'], env })
  }
  return installed()
}

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
