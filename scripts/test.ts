/**
 * npm test: runs all tests. Finds or installs Chromium and other programs; without Chromium, skips the browser tests and says so.
 * npm run test:fast: skips slow tests, and installs nothing.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium, findHeadlessShell } from '../tests/support/chromium.ts'
import { installDebianPackages } from '../tests/support/debian-packages.ts'
import { hasPgbouncer } from '../tests/support/pgbouncer.ts'
import { isInstalled } from '../tests/support/proxy-programs.ts'

const slowTests = [
  'tests/browser/**',
  'tests/faults/**',
  // These start commands, servers and databases as processes of their own.
  'tests/cli/**',
  'tests/docs.test.ts',
  'tests/proxies.test.ts',
  'src/storage/embedded/**',
  'tests/reports/preview.test.ts',
  // These build the web application, or compile a copy of the source.
  'tests/api/web-build.test.ts',
  'tests/traffic/dimensions.test.ts',
  // This hashes hundreds of passwords.
  'tests/api/stats/unlock.test.ts',
  // These send thousands of random events or requests.
  'tests/fuzz.test.ts',
  'tests/main-thread.test.ts',
  'tests/traffic/exact.test.ts',
  'tests/traffic/packing.test.ts',
  'tests/traffic/packing-concurrency.test.ts',
  'tests/traffic/two-nodes.test.ts',
]

/** Tests often wait for PostgreSQL or a timer, so more workers than cores keep the cores busy. */
const MIN_FAST_WORKERS = 5

function installMissingPackages(): void {
  if (!existsSync('/usr/bin/fping') && !existsSync('/usr/bin/ping')) installDebianPackages(['fping'], 'ping')
  for (const name of ['nginx', 'haproxy', 'caddy'] as const)
    if (!isInstalled(name)) installDebianPackages([name], 'proxy')
  if (!hasPgbouncer) installDebianPackages(['pgbouncer'], 'connection pooler')
  if (findChromium() === undefined) installDebianPackages(['chromium'], 'browser')
  const hasOwnChromium = process.env['BELFRY_CHROMIUM'] !== undefined
  if (!hasOwnChromium && findHeadlessShell() === findChromium())
    installDebianPackages(['chromium-headless-shell'], 'browser')
}

/** Many tests start `bin/belfry.js`. Without an up-to-date bundle, each start would load the sources, which takes three times as long. */
async function buildStaleServer(): Promise<void> {
  const { isServerStale } = await import('./build-server.ts')
  if (!isServerStale()) return
  // A failed build prints its errors. `bin/belfry.js` then runs the sources.
  spawnSync(process.execPath, [join(import.meta.dirname, 'build-server.ts')], { stdio: 'inherit' })
}

const options = process.argv.slice(2)
const isFast = options.includes('--fast')
const args = ['run', ...options.filter((option) => option !== '--fast')]

if (isFast) {
  args.push(...slowTests.flatMap((pattern) => ['--exclude', pattern]))
  args.push(`--maxWorkers=${Math.max(MIN_FAST_WORKERS, availableParallelism())}`)
} else {
  installMissingPackages()
  await buildStaleServer()
  if (findChromium() === undefined) {
    if (process.env['CI'] === 'true') {
      console.error(
        "Chromium not found, so the browser tests can't run. Install it, or set BELFRY_CHROMIUM to its path.",
      )
      process.exit(1)
    }
    console.log('Chromium not found, so the browser tests are skipped. Install it, or set BELFRY_CHROMIUM to its path.')
    args.push('--exclude', 'tests/browser/**')
  }
}

// The cache lets test workers and Belfry processes reuse the code that an earlier process has compiled.
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache'),
}
const { status } = spawnSync('vitest', args, { stdio: 'inherit', env })
process.exit(status ?? 1)
