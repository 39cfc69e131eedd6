/** Dependencies that are injected into every route. A route file that needs more extends this interface. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import type { WindowCounter } from '../lib/window-counter.ts'
import type { Database } from '../storage/database.ts'

export interface RequestMetrics {
  countRequest(method: string, route: string, status: number, seconds: number): void
  /** Returns all metrics of the process in Prometheus' text format. */
  write(): Promise<{ type: string; text: string }>
}

export interface RouteDeps {
  config: Config
  clock: Clock
  log: Logger
  db: Database
  secret: Secret
  /** Counts requests and wrong passwords for rate limits. */
  counter: WindowCounter
  metrics: RequestMetrics
  /** Belfry's version, from package.json. */
  version: string
}
