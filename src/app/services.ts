/** What every route may need, wired by hand in main. */
import type { Logger } from 'pino'
import type { Checking } from '../checker/checking.ts'
import type { Config } from '../config/config.ts'
import type { LastUsed } from '../keys/last-used.ts'
import type { Clock } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { Secret } from '../lib/secret.ts'
import type { WindowCounter } from '../lib/window-counter.ts'
import type { LiveHub } from '../live/hub.ts'
import type { Courier } from '../providers/courier.ts'
import type { Database } from '../storage/database.ts'
import type { Collector } from '../traffic/collect/collector.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import type { Statistics } from '../traffic/stats/statistics.ts'
import type { WebApplication } from '../web/application.ts'

export interface Services {
  config: Config
  clock: Clock
  log: Logger
  db: Database
  secret: Secret
  counter: WindowCounter
  lastUsed: LastUsed
  metrics: Metrics
  courier: Courier
  checking: Checking
  collector: Collector
  rollup: Rollup
  statistics: Statistics
  live: LiveHub
  web: WebApplication
  /** Of Belfry, as in package.json. */
  version: string
}
