/**
 * npm run test:postgres: runs the tests that depend most on the database, on a PostgreSQL of the operating system with its default
 * settings, like the server of a user who sets DATABASE_URL. `npm test` uses the embedded PostgreSQL, which is newer and tuned.
 *
 *   npm run test:postgres                               # the tests below
 *   npm run test:postgres -- tests/alerts               # some tests
 *   BELFRY_TEST_POSTGRES=/usr/lib/postgresql/16/bin npm run test:postgres
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installDebianPackages } from '../tests/support/debian-packages.ts'

const databaseTests = [
  'src/storage/copy',
  'src/storage/jit.test.ts',
  'tests/alerts/delivery-health.test.ts',
  'tests/alerts/escalation.test.ts',
  'tests/alerts/fairness.test.ts',
  'tests/alerts/log.test.ts',
  'tests/alerts/long-queues.test.ts',
  'tests/alerts/nodes.test.ts',
  'tests/alerts/reminders.test.ts',
  'tests/alerts/retries.test.ts',
  'tests/alerts/storms.test.ts',
  'tests/api/incidents.test.ts',
  'tests/api/maintenances/',
  'tests/api/monitors/long-list.test.ts',
  'tests/api/monitors/uptime.test.ts',
  'tests/api/overview',
  'tests/api/stats/overview.test.ts',
  'tests/api/stats/statistics.test.ts',
  'tests/api/status-pages/posts.test.ts',
  'tests/api/status-pages/status-pages.test.ts',
  'tests/api/uptime-places.test.ts',
  'tests/checker/claims.test.ts',
  'tests/checker/fair-shares.test.ts',
  'tests/checker/maintenances.test.ts',
  'tests/cli/move.test.ts',
  'tests/cli/restored.test.ts',
  'tests/cli/traffic-plausible-import.test.ts',
  'tests/heartbeats/',
  'tests/reports/delivery.test.ts',
  'tests/results/',
  'tests/status-pages/serve.test.ts',
  'tests/status-pages/subscriber-messages.test.ts',
  'tests/traffic/backlog.test.ts',
  'tests/traffic/event-ids.test.ts',
  'tests/traffic/late-events.test.ts',
  'tests/traffic/months.test.ts',
  'tests/traffic/packing.test.ts',
  'tests/traffic/two-nodes.test.ts',
  'tests/traffic/visit-slots.test.ts',
]

/** Tests wait for the disk more often here than with the embedded PostgreSQL. With three workers, two cores were idle a third of the time. */
const MAX_WORKERS = 5

/** Debian installs every major version into a folder of its own. */
const DEBIAN_FOLDER = '/usr/lib/postgresql'

/** Returns the folder of the oldest PostgreSQL, because the embedded one is the newest. */
function findInstalledPostgres(): string | undefined {
  if (!existsSync(DEBIAN_FOLDER)) return undefined
  const [oldest] = readdirSync(DEBIAN_FOLDER)
    .filter((version) => existsSync(join(DEBIAN_FOLDER, version, 'bin', 'postgres')))
    .sort((a, b) => Number(a) - Number(b))
  return oldest && join(DEBIAN_FOLDER, oldest, 'bin')
}

function findOrInstallPostgres(): string | undefined {
  const chosenFolder = process.env['BELFRY_TEST_POSTGRES'] ?? findInstalledPostgres()
  if (chosenFolder !== undefined) return chosenFolder
  installDebianPackages(['postgresql'], ['tests on a PostgreSQL of the operating system'])
  return findInstalledPostgres()
}

const binFolder = findOrInstallPostgres()
if (binFolder === undefined || !existsSync(join(binFolder, 'postgres'))) {
  console.error(
    binFolder === undefined
      ? `No PostgreSQL server found in ${DEBIAN_FOLDER}. Install one (on Debian: apt-get install postgresql), or set BELFRY_TEST_POSTGRES to the folder with its programs.`
      : `BELFRY_TEST_POSTGRES is ${binFolder}, but this folder contains no program "postgres".`,
  )
  process.exit(1)
}
console.log(
  `Testing with ${spawnSync(join(binFolder, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout.trim()}.`,
)

const args = process.argv.slice(2)
const hasFiles = args.some((arg) => !arg.startsWith('-'))
const { status } = spawnSync(
  'vitest',
  ['run', `--maxWorkers=${MAX_WORKERS}`, ...args, ...(hasFiles ? [] : databaseTests)],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      BELFRY_TEST_POSTGRES: binFolder,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache'),
    },
  },
)
process.exit(status ?? 1)
