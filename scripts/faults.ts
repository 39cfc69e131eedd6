/**
 * npm run faults: runs the fault tests and a few other tests, with more rounds and cases than `npm test`. Paths as arguments select other tests.
 */
import { spawnSync } from 'node:child_process'

/** How many times nodes are killed, and how many faults the database of a cluster has. */
const ROUNDS = '20'
/**
 * The tests measure how soon everything works again, so they shouldn't compete for the processor with many other tests.
 */
const MAX_WORKERS = 2

const defaultPaths = [
  'tests/faults',
  'tests/authorization.test.ts',
  'tests/cli/restored.test.ts',
  'tests/cli/root-hostile.test.ts',
  'tests/main-thread.test.ts',
  'tests/traffic/exact.test.ts',
  'tests/traffic/exact-packed.test.ts',
  'tests/traffic/two-nodes.test.ts',
  'src/storage/pooler.test.ts',
  'src/storage/tenant.test.ts',
]

const options = process.argv.slice(2)
const hasPaths = options.some((option) => /^(?:src|tests)\//.test(option))
const args = ['run', `--maxWorkers=${MAX_WORKERS}`, ...(hasPaths ? [] : defaultPaths), ...options]
const { status } = spawnSync('vitest', args, {
  stdio: 'inherit',
  env: { BELFRY_FAULT_ROUNDS: ROUNDS, ...process.env },
})
process.exit(status ?? 1)
