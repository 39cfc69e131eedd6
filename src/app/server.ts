/** A whole server: database, housekeeping, HTTP. Wired by hand, started and stopped in order. */
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { createAdminFromEnvironment, findSetupToken, requireMatchingSecret } from '../accounts/setup.ts'
import { CheckService } from '../checker/check-service.ts'
import type { Config } from '../config/config.ts'
import { LastUsedTimes } from '../keys/last-used.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { loadSecret } from '../lib/secret.ts'
import { StartupError } from '../lib/startup-error.ts'
import { readVersion } from '../lib/version.ts'
import { WindowCounter } from '../lib/window-counter.ts'
import { LiveHub } from '../live/hub.ts'
import { Lease } from '../nodes/lease.ts'
import { MessageSender } from '../providers/message-sender.ts'
import type { Database } from '../storage/database.ts'
import { type DatabaseSource, openDatabase, startDatabase } from '../storage/open-database.ts'
import { settleCounts } from '../storage/settle-counts.ts'
import { Collector } from '../traffic/collect/collector.ts'
import { Rollup } from '../traffic/rollup/rollup.ts'
import { Statistics } from '../traffic/stats/statistics.ts'
import { builtFolder, WebApplication } from '../web/application.ts'
import { callerDirectory } from './caller-directory.ts'
import { createApp } from './create-app.ts'
import { createOutboxes } from './create-outboxes.ts'
import { JobRunner } from './jobs.ts'
import { openMetrics } from './metrics.ts'
import type { Services } from './services.ts'

/** Connections of each of the two ways into the database. More would only make PostgreSQL's processes take turns. */
const POOL_SIZES = { pipelined: 4, transactions: 5 }

/** After this long open connections are cut, so that the whole stop stays within 10 s. */
const DRAIN_MS = 4_000
const SWEEP_MS = 50

export interface RunningServer {
  /** Where it listens, for instance http://127.0.0.1:3000. */
  address: string
  /** The path of the one-time link, while nobody has used it. */
  setupPath: string | undefined
  services: Services
  stop(): Promise<void>
}

export async function startServer(
  config: Config,
  options: { log: Logger; clock?: Clock; place?: DatabaseSource; webFolder?: string },
): Promise<RunningServer> {
  const { log, clock = systemClock, webFolder = builtFolder } = options
  const place = options.place ?? (await startDatabase(config, log))
  let db: Database | undefined
  try {
    db = (await openDatabase(place, { log, sizes: POOL_SIZES, schema: 'update' })).db
    return await serve(config, { log, clock, db, place, web: new WebApplication(webFolder, log) })
  } catch (error) {
    await db?.close()
    await place.release()
    throw error
  }
}

async function serve(
  config: Config,
  {
    log,
    clock,
    db,
    place,
    web,
  }: { log: Logger; clock: Clock; db: Database; place: DatabaseSource; web: WebApplication },
): Promise<RunningServer> {
  const secret = await loadSecret(config)
  await requireMatchingSecret(db, secret)
  if (config.admin !== undefined) {
    const user = await createAdminFromEnvironment(db, clock, config.admin)
    if (user !== undefined) log.info({ user: user.id }, 'the first administrator was made from the environment')
  }
  const setupToken = await findSetupToken(db, secret)
  const lastUsed = new LastUsedTimes()
  const counter = new WindowCounter(clock)
  const metrics = await openMetrics(config.metricsToken)
  const collector = new Collector({ clock, config, db, log })
  const rollup = new Rollup({ db, log, isBusy: () => collector.isBusy })
  const lease = new Lease({ db, log })
  const jobs = new JobRunner()
  const base = {
    config,
    clock,
    log,
    db,
    secret,
    metrics,
    lease,
    messageSender: new MessageSender(config),
    statistics: new Statistics({ db, clock, rollup }),
    triggerJob: (name: string) => jobs.trigger(name),
  }
  const services: Services = {
    ...base,
    ...createOutboxes(base),
    counter,
    callers: callerDirectory({ db, lastUsed }),
    lastUsed,
    checkService: new CheckService({ ...base, onAlerts: () => jobs.trigger('send alerts') }),
    collector,
    rollup,
    live: new LiveHub({ db, clock, log }),
    web,
    version: await readVersion(),
  }
  const app = await createApp(services)
  await listen(app, config)
  await jobs.start(services)
  if (config.roles.has('checker')) await services.checkService.start()
  if (config.roles.has('web')) await web.open()

  async function stop(): Promise<void> {
    await services.live.close()
    // Checks and messages wait longer than we have: whatever is under way is somebody else's, or the next start's.
    const { alertOutbox, checkService, messageSender, reportOutbox } = services
    await Promise.all([checkService.stop(), jobs.stop(), alertOutbox?.stop(), reportOutbox?.stop()])
    await lease.stop()
    await messageSender.stop()
    web.close()
    const cut = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
    // A connection whose last request has just been answered would be kept alive for nothing.
    const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
    await app.close()
    clearTimeout(cut)
    clearInterval(sweep)
    // The database may be what we are stopping for: what cannot be written now is no reason to hang.
    await Promise.allSettled([services.lastUsed.flush(db), settleCounts(db, counter), collector.stop()])
    await db.close()
    await place.release()
  }

  let stopping: Promise<void> | undefined
  return {
    address: addressOf(app.server.address() as AddressInfo),
    setupPath: setupToken && `/setup?token=${setupToken}`,
    services,
    stop: () => (stopping ??= stop()),
  }
}

async function listen(app: Awaited<ReturnType<typeof createApp>>, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    await app.close()
    if (code === 'EADDRINUSE') {
      throw new StartupError(`Port ${port} on ${host} is in use.`, 'Set PORT to another one, or stop what uses it.')
    }
    if (code === 'EACCES') {
      throw new StartupError(`Port ${port} needs more rights than we have.`, 'Set PORT to 1024 or above.')
    }
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new StartupError(`This machine has no address ${host}.`, 'Set HOST to 127.0.0.1, 0.0.0.0 or :: instead.')
    }
    throw error
  }
}

function addressOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
