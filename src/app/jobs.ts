/** Lists every background job: which roles run it, how often, and what it does. */
import { announceHeldIncidents } from '../alerts/announcements.ts'
import { sendDueReminders } from '../alerts/reminders.ts'
import type { Role } from '../config/config.ts'
import { recordReceiving } from '../heartbeats/outage-store.ts'
import { STALL_CHECK_INTERVAL_MS } from '../http/stalled-connections.ts'
import { measureDueIncidents } from '../impact/measure.ts'
import { PeriodicJob } from '../lib/periodic-job.ts'
import { handleDueWindows } from '../maintenances/windows.ts'
import { scheduleReports } from '../reports/schedule-reports.ts'
import { isAnyReportTurnedOn } from '../reports/store.ts'
import { maintainCheckPartitions } from '../results/partitions.ts'
import { rollUpChecks } from '../results/rollup.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../shared/time.ts'
import { readCustomDomains } from '../status-pages/domains/store.ts'
import { announceMaintenances } from '../status-pages/subscribers/announce-maintenances.ts'
import { canSubscribe } from '../status-pages/subscribers/links.ts'
import { syncRateCounts } from '../storage/rate-counts.ts'
import { addMissingSampleTraffic } from '../traffic/demo/sample-data.ts'
import { countInboxEvents, deleteExpiredEventIds, retryFailedBatches } from '../traffic/inbox/store.ts'
import { countEarlierVisits } from '../traffic/packing/count-earlier-visits.ts'
import { moveDaysIntoBlocks } from '../traffic/packing/move-days-into-blocks.ts'
import { FIRST_BLOCK_SCHEMA_VERSION, packDays } from '../traffic/packing/pack-days.ts'
import { maintainTrafficPartitions } from '../traffic/retention/partitions.ts'
import { deleteRemovedTraffic } from '../traffic/retention/removal.ts'
import { deleteExpired } from './delete-expired.ts'
import type { Services } from './services.ts'

interface Job {
  name: string
  roles: readonly Role[]
  everyMs: number
  /** `run` runs the job at start; `await` also finishes that run before the jobs below start; `skip` waits for one interval. */
  atStart: 'run' | 'await' | 'skip'
  /** The job ends after its first run that succeeds. */
  isOnce?: boolean
  run(services: Services, signal: AbortSignal): Promise<unknown>
}

const everyRole: readonly Role[] = ['web', 'checker', 'worker']
const workerOnly: readonly Role[] = ['worker']

/**
 * Runs of a job never overlap, and a failed run is retried at the next interval. The checker is not listed: its loop is
 * not periodic, because every check has its own due time.
 */
export const jobs: readonly Job[] = [
  {
    name: 'share rate limit counts with other nodes',
    roles: everyRole,
    everyMs: SECOND_MS,
    atStart: 'skip',
    run: ({ db, counter }) => syncRateCounts(db, counter),
  },
  {
    // An admin can save settings through another node. They were read at start, before the first request.
    name: 'read the settings that admins saved',
    roles: everyRole,
    everyMs: 2 * SECOND_MS,
    atStart: 'skip',
    run: ({ db, serverSettings }) => serverSettings.refresh(db),
  },
  {
    name: 'store when API keys were last used',
    roles: everyRole,
    everyMs: 30 * SECOND_MS,
    atStart: 'skip',
    run: ({ db, lastUsedTimes }) => lastUsedTimes.flush(db),
  },
  {
    // Records when nodes can receive beats. A beat that is missing because no node could receive it opens no incident.
    name: 'record that beats can be received',
    roles: ['web'],
    everyMs: 2 * SECOND_MS,
    atStart: 'run',
    run: ({ db }) => recordReceiving(db),
  },
  {
    name: 'read the custom domains of status pages',
    roles: ['web'],
    everyMs: 2 * SECOND_MS,
    atStart: 'run',
    run: ({ customDomains, db }) => customDomains.refresh(db),
  },
  {
    name: 'verify custom domains',
    roles: workerOnly,
    everyMs: 30 * SECOND_MS,
    atStart: 'skip',
    // Without a public URL, custom domains are not served.
    run: async ({ config, domainVerifier }, signal) =>
      config.url === undefined ? undefined : domainVerifier.verifyDue(signal),
  },
  {
    name: 'disconnect clients that stopped reading',
    roles: everyRole,
    everyMs: STALL_CHECK_INTERVAL_MS,
    atStart: 'skip',
    run: async ({ stalledConnections }) => stalledConnections.check(),
  },
  {
    // While the database is unavailable, web nodes serve these copies.
    name: 'copy status pages',
    roles: ['web'],
    everyMs: 5 * SECOND_MS,
    atStart: 'run',
    run: ({ clock, db, copyRefresher }, signal) => copyRefresher.run({ clock, db }, signal),
  },
  {
    name: 'check the free disk space',
    roles: everyRole,
    everyMs: 5 * SECOND_MS,
    atStart: 'await',
    run: ({ diskSpace }) => diskSpace.check(),
  },
  {
    name: 'maintain check partitions',
    roles: ['checker', 'worker'],
    everyMs: MINUTE_MS,
    atStart: 'await',
    run: maintainCheckPartitions,
  },
  {
    name: 'roll up checks',
    roles: workerOnly,
    everyMs: 30 * SECOND_MS,
    atStart: 'run',
    run: rollUpChecks,
  },
  {
    // At start, this job finishes before checks begin. So the first checks after a restart know which maintenances have
    // begun or ended in the meantime.
    name: 'begin and end maintenances',
    roles: workerOnly,
    everyMs: SECOND_MS,
    atStart: 'await',
    run: (services, signal) =>
      handleDueWindows({ ...services, onEnded: () => services.triggerJob('announce incidents') }, signal),
  },
  {
    name: 'send alerts',
    roles: workerOnly,
    everyMs: SECOND_MS,
    atStart: 'run',
    run: async ({ alertOutbox }, signal) => alertOutbox?.poll(signal),
  },
  {
    // This job runs on every node, so that /readyz of every node reports alerts that are not sent.
    name: 'check that alerts are sent',
    roles: everyRole,
    everyMs: 10 * SECOND_MS,
    atStart: 'skip',
    run: ({ deliveryHealth }) => deliveryHealth.check(),
  },
  {
    name: 'announce incidents',
    roles: workerOnly,
    everyMs: 2 * SECOND_MS,
    atStart: 'run',
    run: (services) =>
      announceHeldIncidents({
        ...services,
        isOffline: () => services.checkService.isOffline(),
        onAlerts: () => services.triggerJob('send alerts'),
      }),
  },
  {
    name: 'remind of ongoing incidents',
    roles: workerOnly,
    everyMs: 5 * SECOND_MS,
    atStart: 'skip',
    run: (services) =>
      sendDueReminders({
        ...services,
        isOffline: () => services.checkService.isOffline(),
        onAlerts: () => services.triggerJob('send alerts'),
      }),
  },
  {
    // This job does not run at start. Web nodes first have to record how long no node ran. Until then, that time looks
    // like missing visits.
    name: 'watch for silence and spikes',
    roles: workerOnly,
    everyMs: MINUTE_MS,
    atStart: 'skip',
    run: ({ trafficWatcher }, signal) => trafficWatcher.run(signal),
  },
  {
    // Measures the impact again when late events may have arrived. An alert measures its incident itself, just before
    // it is sent.
    name: 'measure the impact of incidents',
    roles: workerOnly,
    everyMs: 5 * SECOND_MS,
    atStart: 'run',
    run: measureDueIncidents,
  },
  {
    name: 'maintain traffic partitions',
    roles: workerOnly,
    everyMs: HOUR_MS,
    atStart: 'run',
    run: maintainTrafficPartitions,
  },
  {
    name: 'retry events that an earlier version could not roll up',
    roles: workerOnly,
    everyMs: 5 * SECOND_MS,
    atStart: 'run',
    isOnce: true,
    run: ({ db }) => retryFailedBatches(db),
  },
  {
    // A request for statistics first rolls up all waiting events. This job keeps their number small, so the request is fast.
    name: 'roll up events',
    roles: workerOnly,
    everyMs: SECOND_MS,
    atStart: 'run',
    run: async ({ db, metrics, rollup }, signal) => {
      await rollup.rollUpAll(undefined, signal)
      metrics.setWaitingEvents(await countInboxEvents(db))
    },
  },
  {
    name: 'delete expired event ids',
    roles: workerOnly,
    everyMs: MINUTE_MS,
    atStart: 'skip',
    run: ({ clock, db }) => deleteExpiredEventIds(db, clock.now()),
  },
  {
    name: 'pack days of traffic',
    roles: workerOnly,
    everyMs: 10 * MINUTE_MS,
    atStart: 'run',
    run: packDays,
  },
  {
    // A day that earlier versions packed has its visits and events in rows. One node at a time moves them into blocks.
    name: 'move traffic of earlier days into blocks',
    roles: workerOnly,
    everyMs: MINUTE_MS,
    atStart: 'run',
    run: async (services, signal) => {
      const { cluster, eventIntake, lease } = services
      if (!cluster.isFirst('worker', lease.processId, FIRST_BLOCK_SCHEMA_VERSION)) return
      await moveDaysIntoBlocks({ ...services, isBusy: () => eventIntake.isBusy }, signal)
    },
  },
  {
    name: 'count visits of earlier days',
    roles: workerOnly,
    everyMs: 10 * SECOND_MS,
    atStart: 'run',
    run: countEarlierVisits,
  },
  {
    name: 'add missing visits of sample websites',
    roles: workerOnly,
    everyMs: MINUTE_MS,
    atStart: 'skip',
    run: addMissingSampleTraffic,
  },
  {
    name: 'delete the traffic of removed websites',
    roles: workerOnly,
    everyMs: MINUTE_MS,
    atStart: 'run',
    run: deleteRemovedTraffic,
  },
  {
    // A new report replaces older ones of the same website that were not sent. At start, this job has to finish before
    // 'send weekly reports' begins, which would otherwise send the older ones.
    name: 'schedule weekly reports',
    roles: workerOnly,
    everyMs: MINUTE_MS,
    atStart: 'await',
    run: (services, signal) =>
      scheduleReports({ ...services, onReports: () => services.triggerJob('send weekly reports') }, signal),
  },
  {
    name: 'send weekly reports',
    roles: workerOnly,
    everyMs: MINUTE_MS,
    atStart: 'run',
    run: async ({ config, reportOutbox }, signal) =>
      config.mail === undefined ? undefined : reportOutbox?.poll(signal),
  },
  {
    name: 'announce maintenances to subscribers',
    roles: workerOnly,
    everyMs: 10 * SECOND_MS,
    atStart: 'run',
    run: (services) =>
      announceMaintenances({ ...services, onMessages: () => services.triggerJob('send messages to subscribers') }),
  },
  {
    name: 'send messages to subscribers',
    roles: workerOnly,
    everyMs: 2 * SECOND_MS,
    atStart: 'run',
    run: async ({ config, statusMessageOutbox }, signal) =>
      canSubscribe(config) ? statusMessageOutbox?.poll(signal) : undefined,
  },
  {
    name: 'delete expired rows',
    roles: workerOnly,
    everyMs: HOUR_MS,
    atStart: 'skip',
    run: deleteExpired,
  },
]

export class JobRunner {
  readonly #startedJobs = new Map<string, PeriodicJob>()
  #isStopped = false

  async start(services: Services): Promise<void> {
    const { config, lease } = services
    if (config.roles.has('worker')) {
      await lease.start()
      void warnIfMailServerMissing(services)
    }
    if (config.roles.has('web')) void warnIfDomainsNotServed(services)
    for (const { name, roles, atStart } of jobs) {
      if (this.#isStopped || !roles.some((role) => config.roles.has(role))) continue
      const job = createJob(name, services)
      this.#startedJobs.set(name, job)
      if (atStart === 'skip') job.schedule()
      else if (atStart === 'run') void job.start()
      else await job.start()
    }
  }

  /** Runs a job now instead of after its interval. Does nothing if this process doesn't have the role for it. */
  trigger(name: string): void {
    this.#startedJobs.get(name)?.trigger()
  }

  /** Stops all jobs, and waits for the runs in progress. A start that is still in progress starts no more jobs. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.#startedJobs.values()].map((job) => job.stop()))
  }
}

export function createJob(name: string, services: Services): PeriodicJob {
  const job = jobs.find((job) => job.name === name)
  if (job === undefined) throw new Error(`No job is named "${name}".`)
  const { everyMs, isOnce = false, run } = job
  return new PeriodicJob({ name, everyMs, isOnce, log: services.log, run: (signal) => run(services, signal) })
}

async function warnIfMailServerMissing({ config, db, log }: Services): Promise<void> {
  if (config.mail !== undefined || !(await isAnyReportTurnedOn(db).catch(() => false))) return
  log.warn({}, 'weekly reports are not sent: no mail server is set')
}

async function warnIfDomainsNotServed({ config, db, log }: Services): Promise<void> {
  if (config.url !== undefined) return
  const { length: count } = await readCustomDomains(db).catch(() => [])
  if (count > 0) log.warn({ count }, 'custom domains of status pages show the application: the public URL is not set')
}
