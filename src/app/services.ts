/** Every long-lived object of the process. `server.ts` creates them in order, without a dependency injection container. */

import type { DeliveryHealth } from '../alerts/delivery-health.ts'
import type { AlertOutbox } from '../alerts/outbox.ts'
import type { MessageSender } from '../channels/message-sender.ts'
import type { CheckService } from '../checker/check-service.ts'
import type { Favicons } from '../favicons/favicons.ts'
import type { BeatReceiver } from '../heartbeats/receiver.ts'
import type { CallerDirectory } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import type { StalledConnections } from '../http/stalled-connections.ts'
import type { SilenceReplays } from '../impact/replay/silence-replays.ts'
import type { TrafficWatcher } from '../impact/watch/traffic-watcher.ts'
import type { LastUsedTimes } from '../keys/last-used.ts'
import type { RequestsInProgress } from '../lib/yield-to-requests.ts'
import type { LiveHub } from '../live/hub.ts'
import type { Cluster } from '../nodes/cluster.ts'
import type { DatabaseClock } from '../nodes/database-clock.ts'
import type { DiskSpace } from '../nodes/disk-space.ts'
import type { Lease } from '../nodes/lease.ts'
import type { ReportOutbox } from '../reports/outbox.ts'
import type { ServerSettings } from '../server-settings/server-settings.ts'
import type { CustomDomains } from '../status-pages/domains/custom-domains.ts'
import type { DomainVerifier } from '../status-pages/domains/proof.ts'
import type { StatusPageCopies } from '../status-pages/serve/copies.ts'
import type { CopyRefresher } from '../status-pages/serve/copy-refresher.ts'
import type { StatusMessageOutbox } from '../status-pages/subscribers/message-outbox.ts'
import type { EventIntake } from '../traffic/collect/intake.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import type { Statistics } from '../traffic/stats/statistics.ts'
import type { TrafficThreads } from '../traffic/threads/traffic-threads.ts'
import type { WebApplication } from '../web/application.ts'
import type { FetchHomePage } from '../websites/verify/fetch-home-page.ts'
import type { Metrics } from './metrics.ts'
import type { ServerState } from './server-state.ts'

export interface Services extends RouteDeps {
  state: ServerState
  callerDirectory: CallerDirectory
  lastUsedTimes: LastUsedTimes
  stalledConnections: StalledConnections
  metrics: Metrics
  /** PostgreSQL's time. In the server this is also `clock`; tests replace only `clock`. */
  databaseClock: DatabaseClock
  cluster: Cluster
  /** While it is valid, no other node takes over the checks and messages that this process has claimed. */
  lease: Lease
  diskSpace: DiskSpace
  messageSender: MessageSender
  /** Set only in workers. */
  alertOutbox: AlertOutbox | undefined
  /** Set only in workers. Nothing is sent without a mail server. */
  reportOutbox: ReportOutbox | undefined
  /** Set only in workers. Nothing is sent without a mail server and a public URL. */
  statusMessageOutbox: StatusMessageOutbox | undefined
  deliveryHealth: DeliveryHealth
  checkService: CheckService
  eventIntake: EventIntake
  beatReceiver: BeatReceiver
  requestsInProgress: RequestsInProgress
  rollup: Rollup
  statistics: Statistics
  trafficThreads: TrafficThreads
  silenceReplays: SilenceReplays
  trafficWatcher: TrafficWatcher
  serverSettings: ServerSettings
  live: LiveHub
  favicons: Favicons
  fetchHomePage: FetchHomePage
  statusPageCopies: StatusPageCopies
  customDomains: CustomDomains
  domainVerifier: DomainVerifier
  copyRefresher: CopyRefresher
  web: WebApplication
  /** Runs a job of `jobs.ts` now instead of after its interval. */
  triggerJob(
    name:
      | 'announce incidents'
      | 'send alerts'
      | 'send messages to subscribers'
      | 'send weekly reports'
      | 'verify custom domains',
  ): void
}
