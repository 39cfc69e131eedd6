/** npm run faults: the fault tests with more rounds than in `npm test`. */
import { spawnSync } from 'node:child_process'

/** Rounds of killing nodes. `npm test` runs 3. */
const ROUNDS = '20'

const { status } = spawnSync('vitest', ['run', 'tests/faults', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { BELFRY_FAULT_ROUNDS: ROUNDS, ...process.env },
})
process.exit(status ?? 1)
