/** Creates all parts of the server, starts them in order, and stops them in reverse. */
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { createAdminFromEnvironment, findSetupToken, requireMatchingSecret } from '../accounts/setup.ts'
import { CheckService } from '../checker/check-service.ts'
import { type Config, readVersion } from '../config/config.ts'
import { LastUsedTimes } from '../keys/last-used.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { loadSecret } from '../lib/secret.ts'
import { StartupError } from '../lib/startup-error.ts'
import { WindowCounter } from '../lib/window-counter.ts'
import { LiveHub } from '../live/hub.ts'
import { Cluster } from '../nodes/cluster.ts'
import { DatabaseClock } from '../nodes/database-clock.ts'
import { Lease } from '../nodes/lease.ts'
import { readDatabaseTimeMs } from '../nodes/store.ts'
import { MessageSender } from '../providers/message-sender.ts'
import type { Database } from '../storage/database.ts'
import { type DatabaseSource, openDatabase, startDatabase } from '../storage/open-database.ts'
import { syncRateCounts } from '../storage/rate-counts.ts'
import { Collector } from '../traffic/collect/collector.ts'
import { Rollup } from '../traffic/rollup/rollup.ts'
import { Statistics } from '../traffic/stats/statistics.ts'
import { WebApplication, webBuildFolder } from '../web/application.ts'
import { createCallerDirectory } from './caller-directory.ts'
import { createApp } from './create-app.ts'
import { createOutboxes } from './create-outboxes.ts'
import { JobRunner } from './jobs.ts'
import { openMetrics } from './metrics.ts'
import type { Services } from './services.ts'

/** More connections would only make PostgreSQL's processes compete for the CPU. */
const POOL_SIZES = { pipelined: 4, transactions: 5 }

/** HTTP connections that are still open after this time are closed, so that stopping takes less than 10 s in total. */
const DRAIN_TIMEOUT_MS = 4_000
const CLOSE_IDLE_INTERVAL_MS = 50

export interface RunningServer {
  /** For example http://127.0.0.1:3000. */
  address: string
  /** The path of the setup link; undefined once the first admin exists. */
  setupPath: string | undefined
  services: Services
  stop(): Promise<void>
}

export async function startServer(
  config: Config,
  options: {
    log: Logger
    /** Replaces PostgreSQL's time in tests. */
    clock?: Clock
    /** This machine's clock. */
    localClock?: Clock
    database?: DatabaseSource
    webFolder?: string
  },
): Promise<RunningServer> {
  const { log, clock, localClock = systemClock, webFolder = webBuildFolder } = options
  const databaseSource = options.database ?? (await startDatabase(config, log))
  let db: Database | undefined
  try {
    db = (await openDatabase(databaseSource, { log, sizes: POOL_SIZES, schema: 'update' })).db
    const web = new WebApplication(webFolder, log)
    return await startServices(config, { log, clock, localClock, db, databaseSource, web })
  } catch (error) {
    await db?.close()
    await databaseSource.release()
    throw error
  }
}

async function startServices(
  config: Config,
  options: {
    log: Logger
    clock: Clock | undefined
    localClock: Clock
    db: Database
    databaseSource: DatabaseSource
    web: WebApplication
  },
): Promise<RunningServer> {
  const { log, localClock, db, databaseSource, web } = options
  const databaseClock = new DatabaseClock({ log, localClock })
  const finishMeasurement = databaseClock.startMeasurement()
  finishMeasurement(await readDatabaseTimeMs(db))
  const { clock = databaseClock } = options
  const secret = await loadSecret(config)
  await requireMatchingSecret(db, secret)
  if (config.admin !== undefined) {
    const user = await createAdminFromEnvironment(db, clock, config.admin)
    if (user !== undefined) log.info({ user: user.id }, 'created the first admin from the environment')
  }
  const setupToken = await findSetupToken(db, secret)
  const lastUsedTimes = new LastUsedTimes()
  const counter = new WindowCounter(clock)
  const metrics = await openMetrics(config.metricsToken)
  const collector = new Collector({ clock, config, db, log })
  const rollup = new Rollup({ db, log, isBusy: () => collector.isBusy })
  const cluster = new Cluster()
  const lease = new Lease({
    db,
    log,
    roles: config.roles,
    databaseClock,
    localClock,
    onHeartbeat: (liveLeases) => cluster.recordHeartbeat(liveLeases),
  })
  const jobs = new JobRunner()
  const commonServices = {
    config,
    clock,
    log,
    db,
    secret,
    metrics,
    databaseClock,
    cluster,
    lease,
    messageSender: new MessageSender(config),
    statistics: new Statistics({ db, clock, rollup }),
    triggerJob: (name: string) => jobs.trigger(name),
  }
  const services: Services = {
    ...commonServices,
    ...createOutboxes(commonServices),
    counter,
    callerDirectory: createCallerDirectory({ db, lastUsedTimes }),
    lastUsedTimes,
    checkService: new CheckService({ ...commonServices, onAlerts: () => jobs.trigger('send alerts') }),
    collector,
    rollup,
    live: new LiveHub({ db, clock, log }),
    web,
    version: await readVersion(),
  }
  const app = await createApp(services)
  await listen(app, config)
  await lease.start()
  await jobs.start(services)
  if (config.roles.has('checker')) await services.checkService.start()
  if (config.roles.has('web')) await web.open()

  async function stop(): Promise<void> {
    await services.live.close()
    // Checks and deliveries can take longer than the shutdown. Other nodes, or the next start, continue unfinished ones.
    const { alertOutbox, checkService, messageSender, reportOutbox } = services
    await Promise.all([checkService.stop(), jobs.stop(), alertOutbox?.stop(), reportOutbox?.stop()])
    await lease.stop()
    await messageSender.stop()
    web.close()
    const drainTimer = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT_MS)
    // Connections that become idle during the shutdown would otherwise stay open until their keep-alive ends.
    const idleTimer = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS)
    await app.close()
    clearTimeout(drainTimer)
    clearInterval(idleTimer)
    // The database may be unavailable. Failing to write the last counts and events must not prevent the shutdown.
    await Promise.allSettled([services.lastUsedTimes.flush(db), syncRateCounts(db, counter), collector.stop()])
    await db.close()
    await databaseSource.release()
  }

  let stopPromise: Promise<void> | undefined
  return {
    address: formatAddress(app.server.address() as AddressInfo),
    setupPath: setupToken && `/setup?token=${setupToken}`,
    services,
    stop: () => (stopPromise ??= stop()),
  }
}

async function listen(app: Awaited<ReturnType<typeof createApp>>, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    await app.close()
    if (code === 'EADDRINUSE') {
      throw new StartupError(
        `Port ${port} on ${host} is already in use.`,
        'Set PORT to another port, or stop the other program.',
      )
    }
    if (code === 'EACCES') {
      throw new StartupError(`No permission to listen on port ${port}.`, 'Set PORT to 1024 or higher.')
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new StartupError(`This machine doesn't have the address ${host}.`, 'Set HOST to 127.0.0.1, 0.0.0.0 or ::.')
    }
    throw error
  }
}

function formatAddress({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
