/**
 * npm test: runs all tests but the system tests. As root on Debian, installs programs that are missing, unless
 * BELFRY_TEST_INSTALL=no. Skips tests whose programs are missing, and lists them at the end; with BELFRY_TEST_REQUIRE_ALL=1,
 * fails before the tests start instead. With paths as arguments, runs only those tests, even if they are system tests.
 * npm run test:system: the same for all system tests, without paths.
 * npm run test:fast: skips slow tests, and installs nothing.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium, findHeadlessShell } from '../tests/support/chromium.ts'
import { installDebianPackages } from '../tests/support/debian-packages.ts'
import { CHROMIUM, CHROMIUM_TESTS, describeSkipped, optionalPrograms } from '../tests/support/optional-programs.ts'
import { removeDeadRuns } from '../tests/support/run-folders.ts'
import { slowTests } from '../tests/support/slow-tests.ts'
import { systemTests } from '../tests/support/system-tests.ts'

/**
 * Tests often wait for PostgreSQL or a timer, so three workers keep two cores busy. More would cost processor time: fast tests wait less
 * than the others, and system tests start many processes.
 */
const MIN_FAST_OR_SYSTEM_WORKERS = 3

const listMissingPrograms = () => optionalPrograms.filter((program) => !program.isAvailable())

function installMissingPackages(): void {
  const hasOwnChromium = process.env['BELFRY_CHROMIUM'] !== undefined
  const programs = listMissingPrograms().filter(({ name }) => !(hasOwnChromium && name === CHROMIUM))
  const packages = programs.flatMap(({ debianPackage, tests }) =>
    debianPackage ? [{ name: debianPackage, tests }] : [],
  )
  if (!hasOwnChromium && findHeadlessShell() === findChromium())
    packages.push({ name: 'chromium-headless-shell', tests: 'browser tests' })
  installDebianPackages(
    packages.map(({ name }) => name),
    packages.map(({ tests }) => tests),
  )
}

/** Many tests start `bin/belfry.js`. Without an up-to-date bundle, each start would load the sources, which takes three times as long. */
async function buildStaleServer(): Promise<void> {
  const { isServerStale } = await import('../packaging/stale-builds.ts')
  if (!isServerStale()) return
  // A failed build prints its errors. `bin/belfry.js` then runs the sources.
  spawnSync(process.execPath, [join(import.meta.dirname, 'build-server.ts')], { stdio: 'inherit' })
}

const options = process.argv.slice(2)
const isFast = options.includes('--fast')
const isSystem = options.includes('--system')
const passedOptions = options.filter((option) => option !== '--fast' && option !== '--system')
const hasPaths = passedOptions.some((option) => /^(?:src|tests|web)\//.test(option))
const args = ['run', ...passedOptions]

const mustRunAll = process.env['BELFRY_TEST_REQUIRE_ALL'] === '1'
if (isFast || isSystem) args.push(`--maxWorkers=${Math.max(MIN_FAST_OR_SYSTEM_WORKERS, availableParallelism())}`)
if (isFast) {
  args.push(...slowTests.flatMap((pattern) => ['--exclude', pattern]))
} else {
  installMissingPackages()
  if (isSystem) args.push(...systemTests)
  else if (!hasPaths) args.push(...systemTests.flatMap((path) => ['--exclude', path]))
}
const missingPrograms = listMissingPrograms()
if (mustRunAll && missingPrograms.length > 0) {
  console.error('BELFRY_TEST_REQUIRE_ALL is 1, but these tests would be skipped:')
  for (const line of describeSkipped(missingPrograms)) console.error(line)
  process.exit(1)
}
if (missingPrograms.some(({ name }) => name === CHROMIUM)) args.push('--exclude', CHROMIUM_TESTS)
if (!isFast) await buildStaleServer()

const exitCode = await runVitest(args)
if (!isFast && missingPrograms.length > 0) {
  console.log('Skipped, because a program is missing:')
  for (const line of describeSkipped(missingPrograms)) console.log(line)
}
process.exit(exitCode)

/** Stops the run on a signal. Removes its files and processes afterwards, even if it was killed. */
async function runVitest(vitestArgs: string[]): Promise<number> {
  // The cache lets test workers and Belfry processes reuse the code that an earlier process has compiled.
  const cache = process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache')
  const child = spawn('vitest', vitestArgs, { stdio: 'inherit', env: { ...process.env, NODE_COMPILE_CACHE: cache } })
  let stopSignal: NodeJS.Signals | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Kills Vitest, because it would wait for the tests in progress. A signal may arrive twice, from the terminal and
      // from npm. The first one decides the exit code.
      stopSignal ??= signal
      child.kill('SIGKILL')
    })
  }
  const [code] = await once(child, 'exit')
  await removeDeadRuns()
  return stopSignal === undefined ? (code ?? 1) : 128 + constants.signals[stopSignal]
}
