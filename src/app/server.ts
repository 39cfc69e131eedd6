/** Creates all parts of the server, starts them in order, and stops them in reverse. */
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import type { Logger } from 'pino'
import { createAdminFromEnvironment, findSetupToken, requireMatchingSecret } from '../accounts/setup.ts'
import { DeliveryHealth } from '../alerts/delivery-health.ts'
import { MessageSender } from '../channels/message-sender.ts'
import { CheckService } from '../checker/check-service.ts'
import { type Config, readVersion } from '../config/config.ts'
import { Favicons } from '../favicons/favicons.ts'
import { createIconFetcher } from '../favicons/fetch-icon.ts'
import { BeatReceiver } from '../heartbeats/receiver.ts'
import { GracefulClose } from '../http/graceful-close.ts'
import { StalledConnections } from '../http/stalled-connections.ts'
import { SilenceReplays } from '../impact/replay/silence-replays.ts'
import { TrafficWatcher } from '../impact/watch/traffic-watcher.ts'
import { LastUsedTimes } from '../keys/last-used.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { formatCommand } from '../lib/program.ts'
import { loadSecret } from '../lib/secret.ts'
import { StartupError } from '../lib/startup-error.ts'
import { WindowCounter } from '../lib/window-counter.ts'
import { RequestsInProgress } from '../lib/yield-to-requests.ts'
import { LiveHub } from '../live/hub.ts'
import { Cluster } from '../nodes/cluster.ts'
import { DatabaseClock } from '../nodes/database-clock.ts'
import { DiskSpace } from '../nodes/disk-space.ts'
import { Lease } from '../nodes/lease.ts'
import { readDatabaseTimeMs } from '../nodes/store.ts'
import { openTxtResolver, type ResolveTxt } from '../outgoing/resolver.ts'
import { requireUnblockedRecipient } from '../recipients/recipients.ts'
import { ServerSettings } from '../server-settings/server-settings.ts'
import { CustomDomains } from '../status-pages/domains/custom-domains.ts'
import { DomainVerifier } from '../status-pages/domains/proof.ts'
import { StatusPageCopies } from '../status-pages/serve/copies.ts'
import { CopyFolder } from '../status-pages/serve/copy-folder.ts'
import { CopyRefresher } from '../status-pages/serve/copy-refresher.ts'
import { createCopySource } from '../status-pages/serve/copy-source.ts'
import { canSubscribe } from '../status-pages/subscribers/links.ts'
import { isDatabaseUnavailable } from '../storage/connection-loss.ts'
import type { Database } from '../storage/database.ts'
import { type DatabaseSource, openDatabase, startDatabase } from '../storage/open-database.ts'
import { isTemporaryDatabaseError, waitForDatabase } from '../storage/wait-for-database.ts'
import { EventIntake } from '../traffic/collect/intake.ts'
import { Rollup } from '../traffic/rollup/rollup.ts'
import { Statistics } from '../traffic/stats/statistics.ts'
import { TrafficThreads } from '../traffic/threads/traffic-threads.ts'
import { prepareMigration } from '../upgrade/before-migration.ts'
import { WebApplication, webBuildFolder } from '../web/application.ts'
import { createHomePageFetcher, type FetchHomePage } from '../websites/verify/fetch-home-page.ts'
import { FIRST_WATCHING_SCHEMA_VERSION } from '../websites/watches.ts'
import { createCallerDirectory } from './caller-directory.ts'
import { createApp } from './create-app.ts'
import { createOutboxes } from './create-outboxes.ts'
import { type Figures, readFigures } from './figures.ts'
import { JobRunner } from './jobs.ts'
import { formatAddress, listen } from './listen.ts'
import { type Metrics, noMetrics } from './metrics.ts'
import { ServerState } from './server-state.ts'
import type { Services } from './services.ts'
import { StandbyServer } from './standby-server.ts'
import { closeDatabase, stopServer } from './stop-server.ts'

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
    /** In tests, replaces the script that builds the pages. */
    webBuildScript?: string
    /** Replaces the name servers of this machine in tests. */
    resolveTxt?: ResolveTxt
    fetchHomePage?: FetchHomePage
    /** Aborted to end a start that is still in progress. */
    signal?: AbortSignal
  },
): Promise<RunningServer> {
  const { log, clock, localClock = systemClock, webFolder = webBuildFolder, resolveTxt = openTxtResolver() } = options
  const { fetchHomePage = createHomePageFetcher(config.privateTargets) } = options
  const { signal = new AbortController().signal } = options
  const databaseSource = options.database ?? (await startDatabase(config, log))
  const statusPageCopies = new StatusPageCopies({
    clock: clock ?? localClock,
    log,
    folder: new CopyFolder(config.dataDir, log),
  })
  const standby = await createStandby({ config, clock: clock ?? localClock, log, statusPageCopies })
  let stop = async () => {
    await standby?.stop()
    await databaseSource.release()
  }
  try {
    const db = await connectToDatabase(databaseSource, { config, log, signal, standby })
    stop = async () => {
      await standby?.stop()
      await closeDatabase(db, databaseSource)
    }
    const web = new WebApplication(webFolder, log, options.webBuildScript)
    const serviceOptions = { log, clock, localClock, db, web, statusPageCopies, resolveTxt, fetchHomePage }
    const { services, jobs, setupPath } = await createServices(config, serviceOptions)
    const app = await createApp(services)
    const gracefulClose = new GracefulClose(app.server)
    let stopPromise: Promise<void> | undefined
    stop = () => (stopPromise ??= stopServer({ app, databaseSource, gracefulClose, jobs, services }))
    if (!(await standby?.handOver(app.server))) await listen(app, config)
    await rejectOnAbort(startServices(services, jobs, signal), signal)
    services.state.phase = 'running'
    return { address: formatAddress(app.server.address() as AddressInfo), setupPath, services, stop }
  } catch (error) {
    await stop()
    throw toStartupError(error)
  }
}

/**
 * Returns undefined if the data folder has no copies of status pages, because then nothing can be served without the
 * database.
 */
async function createStandby(deps: ConstructorParameters<typeof StandbyServer>[0]): Promise<StandbyServer | undefined> {
  if (!deps.config.roles.has('web')) return undefined
  return (await deps.statusPageCopies.openFolder()) === 0 ? undefined : new StandbyServer(deps)
}

/** Waits for the database as long as BELFRY_DATABASE_WAIT says, or without limit if there is a standby server. */
async function connectToDatabase(
  source: DatabaseSource,
  options: { config: Config; log: Logger; signal: AbortSignal; standby: StandbyServer | undefined },
): Promise<Database> {
  const { config, log, signal, standby } = options
  const waitOptions =
    standby === undefined
      ? { seconds: config.databaseWaitSeconds }
      : { seconds: Number.POSITIVE_INFINITY, onWaiting: () => standby.start() }
  for (;;) {
    await waitForDatabase(source.connection, { log, signal, ...waitOptions })
    try {
      const beforeMigration = prepareMigration({
        config,
        source,
        signal,
        onBackup: ({ path, bytes }) => log.info({ path, bytes }, 'backed up the database before migrating it'),
        onNoBackup: (reason) => log.info({ reason }, 'migrating the database without an automatic backup'),
      })
      const openOptions = { log, signal, limits: config.database, schema: 'update', beforeMigration } as const
      return (await openDatabase(source, openOptions)).db
    } catch (error) {
      if (standby === undefined || !isTemporaryDatabaseError(error)) throw error
      await standby.start()
    }
  }
}

async function createServices(
  environmentConfig: Config,
  options: {
    log: Logger
    clock: Clock | undefined
    localClock: Clock
    db: Database
    web: WebApplication
    statusPageCopies: StatusPageCopies
    resolveTxt: ResolveTxt
    fetchHomePage: FetchHomePage
  },
): Promise<{ services: Services; jobs: JobRunner; setupPath: string | undefined }> {
  const { log, localClock, db, web, statusPageCopies, resolveTxt, fetchHomePage } = options
  const databaseClock = new DatabaseClock({ log, localClock })
  const finishMeasurement = databaseClock.startMeasurement()
  finishMeasurement(await readDatabaseTimeMs(db))
  const { clock = databaseClock } = options
  const secret = await loadSecret(environmentConfig)
  const serverSettings = new ServerSettings({ config: environmentConfig, secret, log })
  const { config } = serverSettings
  // The two queries run at the same time, so that reading the settings doesn't delay the start.
  await Promise.all([requireMatchingSecret(db, secret), serverSettings.refresh(db)])
  if (config.admin !== undefined) {
    const user = await createAdminFromEnvironment(db, clock, config.admin)
    if (user !== undefined) log.info({ user: user.id }, 'created the first admin from the environment')
  }
  const setupToken = await findSetupToken(db, secret)
  const lastUsedTimes = new LastUsedTimes()
  const counter = new WindowCounter(clock)
  const metrics = await openMetrics(config.metricsToken, () => readFigures({ ...services, db: backgroundDb }))
  const backgroundDb = db.on('background')
  const eventIntake = new EventIntake({ clock, config, db: db.on('ingest'), log, metrics, secret })
  const requestsInProgress = new RequestsInProgress()
  const trafficThreads = new TrafficThreads({ requestsInProgress })
  const rollup = new Rollup({
    db: backgroundDb,
    log,
    threads: trafficThreads,
    maxStallMs: config.database.timeoutMs,
    isBusy: () => eventIntake.isBusy,
  })
  const cluster = new Cluster()
  const diskSpace = new DiskSpace({ config, log, isReportedFull: () => db.isDiskFull })
  const lease = new Lease({
    db: backgroundDb,
    log,
    roles: config.roles,
    databaseClock,
    localClock,
    onHeartbeat: (liveLeases) => cluster.recordHeartbeat(liveLeases),
  })
  statusPageCopies.connect(
    createCopySource(db, { canSubscribe: () => canSubscribe(config), renderBudget: statusPageCopies.renderBudget }),
    clock,
  )
  serverSettings.onChange(() => statusPageCopies.noteServerChange())
  const jobs = new JobRunner()
  const commonServices = {
    config,
    clock,
    log,
    db,
    secret,
    serverSettings,
    metrics,
    databaseClock,
    cluster,
    diskSpace,
    lease,
    state: new ServerState(),
    messageSender: new MessageSender(config, clock, (address) => requireUnblockedRecipient(db, secret, address)),
    statistics: new Statistics({ db, clock, rollup, threads: trafficThreads }),
    triggerJob: (name: string) => jobs.trigger(name),
  }
  const outboxes = createOutboxes({ ...commonServices, db: backgroundDb, rollup })
  const services: Services = {
    ...commonServices,
    ...outboxes,
    deliveryHealth: new DeliveryHealth({
      clock,
      db: backgroundDb,
      log,
      listFailures: () => Object.values(outboxes).flatMap((outbox) => outbox?.failures ?? []),
    }),
    counter,
    callerDirectory: createCallerDirectory({ db, lastUsedTimes }),
    lastUsedTimes,
    stalledConnections: new StalledConnections(),
    checkService: new CheckService({
      ...commonServices,
      db: backgroundDb,
      rollup,
      onAlerts: () => jobs.trigger('send alerts'),
    }),
    eventIntake,
    beatReceiver: new BeatReceiver({ clock, config, db: db.on('ingest') }),
    requestsInProgress,
    rollup,
    trafficThreads,
    silenceReplays: new SilenceReplays({ clock, db, rollup }),
    trafficWatcher: new TrafficWatcher({
      db: backgroundDb,
      clock,
      isWatcher: () => cluster.isFirst('worker', lease.processId, FIRST_WATCHING_SCHEMA_VERSION),
      onAlerts: () => jobs.trigger('send alerts'),
    }),
    live: new LiveHub({ db, clock, log }),
    favicons: new Favicons({
      clock,
      db,
      log,
      fetchIcon: config.hasFavicons ? createIconFetcher(config.privateTargets) : undefined,
    }),
    fetchHomePage,
    statusPageCopies,
    copyRefresher: new CopyRefresher(statusPageCopies),
    customDomains: new CustomDomains((domain) => statusPageCopies.findSlugByDomain(domain)),
    domainVerifier: new DomainVerifier({ ...commonServices, db: backgroundDb, resolveTxt }),
    web,
    version: await readVersion(),
  }
  return { services, jobs, setupPath: setupToken && `/setup?token=${setupToken}` }
}

/** Nothing here fails if the database is unavailable: jobs, checks and the lease try again until it is back. */
async function startServices(services: Services, jobs: JobRunner, signal: AbortSignal): Promise<void> {
  const { checkService, config, db, lease, web } = services
  await lease.start()
  await jobs.start({ ...services, db: db.on('background') })
  signal.throwIfAborted()
  if (config.roles.has('checker')) await checkService.start()
  if (config.roles.has('web')) await web.open()
}

function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', onAbort))
}

/** The operator can fix a database error, and needs a message for that instead of a stack trace. */
function toStartupError(error: unknown): unknown {
  const isDatabaseError = error instanceof pg.DatabaseError || isDatabaseUnavailable(error)
  if (!isDatabaseError) return error
  const { message } = ((error as Error).cause ?? error) as Error
  return new StartupError(
    `The database failed during the start: ${message}.`,
    `Check that PostgreSQL is running, and start again. For details run \`${formatCommand('doctor')}\`.`,
    { cause: error },
  )
}

/** Without a token nobody can read the metrics, so nothing is counted, and the 80 files of prom-client are not loaded. */
async function openMetrics(token: string | undefined, read: () => Promise<Figures>): Promise<Metrics> {
  if (token === undefined) return noMetrics
  const { createPrometheus } = await import('./prometheus.ts')
  return createPrometheus(read)
}
