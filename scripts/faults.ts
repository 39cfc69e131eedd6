/** npm run faults: what processes do to each other when some of them die, for longer than the tests take. */
import { spawnSync } from 'node:child_process'

/** Of the storm; the tests have 3. */
const ROUNDS = '20'

const { status } = spawnSync('vitest', ['run', 'tests/faults', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { BELFRY_FAULT_ROUNDS: ROUNDS, ...process.env },
})
process.exit(status ?? 1)
