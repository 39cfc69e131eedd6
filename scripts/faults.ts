/** npm run faults: runs the fault tests with more rounds than `npm test`. */
import { spawnSync } from 'node:child_process'

/** The number of times that nodes are killed. `npm test` runs 3 rounds. */
const ROUNDS = '20'

const { status } = spawnSync('vitest', ['run', 'tests/faults', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { BELFRY_FAULT_ROUNDS: ROUNDS, ...process.env },
})
process.exit(status ?? 1)
