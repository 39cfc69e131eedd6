/** Stops a server: first gives load balancers time to notice, then ends background work, requests and the database, in this order. */
import { setTimeout as delay } from 'node:timers/promises'
import type { App } from '../http/app-type.ts'
import type { GracefulClose } from '../http/graceful-close.ts'
import { waitAtMost } from '../lib/clock.ts'
import { SECOND_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import type { DatabaseSource } from '../storage/open-database.ts'
import { syncRateCounts } from '../storage/rate-counts.ts'
import { stopOutboxes } from './create-outboxes.ts'
import type { JobRunner } from './jobs.ts'
import type { Services } from './services.ts'

/**
 * The shutdown waits at most this long for jobs. A job can hang, for example on a locked table. PostgreSQL rolls back
 * the job's transaction when the connection ends.
 */
const MAX_JOB_WAIT_MS = 3_000
/** Requests are accepted until the background work has ended, but not for longer than this. */
const MAX_ACCEPT_MS = 3_000
/** HTTP connections that are still open this long after the last request was accepted are cut. */
const MAX_REQUEST_WAIT_MS = 3_500
/**
 * The shutdown tries at most this long to write the last counts and events, because the database may be unavailable.
 */
const MAX_LAST_WRITES_MS = 2_500
const MAX_CLOSE_WAIT_MS = 1_000

/**
 * Stops the server. After the drain time, this takes less than 10 s, in which the server closes its port, finishes
 * requests, stores the last counts and events, and closes the database connections.
 */
export async function stopServer({
  app,
  databaseSource,
  gracefulClose,
  jobs,
  services,
}: {
  app: App
  databaseSource: DatabaseSource
  gracefulClose: GracefulClose
  jobs: JobRunner
  services: Services
}): Promise<void> {
  const {
    checkService,
    config,
    counter,
    db,
    eventIntake,
    favicons,
    lastUsedTimes,
    lease,
    live,
    messageSender,
    silenceReplays,
    state,
    trafficThreads,
    web,
  } = services
  const hasStarted = state.phase === 'running'
  state.phase = 'stopping'
  gracefulClose.startDraining()
  if (hasStarted) await delay(config.drainSeconds * SECOND_MS)
  await live.close()
  // The port stays open as long as possible, because some proxies wait only a few seconds for the next process to open it again.
  // Once the outboxes have stopped, only requests for test notifications can still be sending, and they need time to respond.
  const deliveries = stopOutboxes(services).then(() => messageSender.stop())
  const backgroundWork = Promise.all([waitAtMost(MAX_JOB_WAIT_MS, jobs.stop()), deliveries])
  await waitAtMost(MAX_ACCEPT_MS, backgroundWork)
  await Promise.all([backgroundWork, gracefulClose.close(MAX_REQUEST_WAIT_MS)])
  await app.close()
  web.close()
  silenceReplays.close()
  trafficThreads.close()
  const flushes = [
    lastUsedTimes.flush(db),
    syncRateCounts(db, counter),
    eventIntake.stop(),
    checkService.stop(),
    favicons.stop(),
  ]
  const lastWrites = Promise.allSettled(flushes)
    .then(() => lease.stop())
    .then(() => db.close())
  await waitAtMost(MAX_LAST_WRITES_MS, lastWrites)
  await databaseSource.release()
}

/** If a query hangs, its connection doesn't close in time, but ends with the process. */
export async function closeDatabase(db: Database, databaseSource: DatabaseSource): Promise<void> {
  await waitAtMost(MAX_CLOSE_WAIT_MS, db.close())
  await databaseSource.release()
}
