/** Decides which websites get a report now: once for each week, whatever happens to this process. */
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../lib/clock.ts'
import { Rounds } from '../../lib/rounds.ts'
import type { Database } from '../../storage/database.ts'
import { decideReports, skipReports } from './decide-store.ts'

const ROUND_MS = 60_000
const AT_ONCE = 500

export interface DecideNeeds {
  db: Database
  clock: Clock
  log: Logger
  config: Pick<Config, 'mail'>
  /** There is something to be sent now. */
  onReports(): void
}

export function keepDeciding(needs: DecideNeeds): Rounds {
  const work = (signal: AbortSignal) => decide(needs, signal)
  return new Rounds({ name: 'deciding on weekly reports', everyMs: ROUND_MS, log: needs.log, work })
}

/** Without a mail server their time passes by: a report that comes weeks later is no news. */
async function decide({ db, clock, config, onReports }: DecideNeeds, signal: AbortSignal): Promise<void> {
  const take = config.mail === undefined ? skipReports : decideReports
  while (!signal.aborted) {
    const taken = await take(db, clock.now(), AT_ONCE)
    if (taken > 0 && config.mail !== undefined) onReports()
    if (taken < AT_ONCE) return
  }
}
