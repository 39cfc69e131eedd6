/** Every long-lived object of the process. `server.ts` creates them, in order, without a container. */
import type { Checking } from '../checker/checking.ts'
import type { CallerDirectory } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import type { LastUsed } from '../keys/last-used.ts'
import type { LiveHub } from '../live/hub.ts'
import type { Courier } from '../providers/courier.ts'
import type { Collector } from '../traffic/collect/collector.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import type { Statistics } from '../traffic/stats/statistics.ts'
import type { WebApplication } from '../web/application.ts'

export interface Services extends RouteDeps {
  callers: CallerDirectory
  lastUsed: LastUsed
  courier: Courier
  checking: Checking
  collector: Collector
  rollup: Rollup
  statistics: Statistics
  live: LiveHub
  web: WebApplication
}
