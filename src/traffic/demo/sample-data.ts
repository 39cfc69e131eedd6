/**
 * Creates the sample data of a user: a website with generated traffic, and a paused monitor with generated history. The
 * website and the monitor are created in one transaction, and the traffic in a second one. If the server stops in
 * between, a background job adds the missing traffic.
 */
import { randomInt } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { addMs, type Clock } from '../../lib/clock.ts'
import { ConcurrencyLimiter } from '../../lib/concurrency-limiter.ts'
import { addDays, localDay, localDayAt } from '../../lib/local-day.ts'
import { notFound } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import { noBeatToken, toMonitorColumns, toSearchText } from '../../monitors/record.ts'
import { createSettings } from '../../monitors/settings.ts'
import { insertMonitor } from '../../monitors/store.ts'
import { MINUTE_MS, SECOND_MS } from '../../shared/time.ts'
import { PRIVACY } from '../../shared/websites.ts'
import type { Database } from '../../storage/database.ts'
import type { TenantId } from '../../storage/tenant.ts'
import type { Queries } from '../../storage/transaction.ts'
import { websiteDefaults } from '../../websites/schema.ts'
import { insertWebsite, type WebsiteRow } from '../../websites/store.ts'
import { importEvents } from '../import-export/import-events.ts'
import { listTrafficDays } from '../import-export/store.ts'
import type { TrafficEvent } from '../model/event.ts'
import type { Rollup } from '../rollup/rollup.ts'
import { generateDemoEvents, splitIntoChunks } from './generate.ts'
import { generateMonitorHistory } from './monitor-history.ts'
import {
  deleteSampleWebsite,
  fillSampleMonitor,
  findSampleWebsite,
  listSampleOutages,
  listSampleWebsitesWithoutTraffic,
  lockSampleWebsite,
  type SampleWebsite,
  scheduleSampleMeasurements,
} from './sample-store.ts'

const SAMPLE_DAYS = 90
/** About 24,000 events in all. Counting them takes about two seconds on a small machine. */
const VISITORS_PER_DAY = 45
const SEED = 7

interface SampleDataDeps {
  db: Database
  clock: Clock
  config: Config
  secret: Secret
  rollup: Rollup
}

export class SampleData {
  readonly #deps: SampleDataDeps
  /** Generating keeps a core busy for about a second, so only one request generates at a time. */
  readonly #limiter = new ConcurrencyLimiter(1)

  constructor(deps: SampleDataDeps) {
    this.#deps = deps
  }

  /** Returns the existing sample website if the user has one. */
  create(caller: TenantId, timeZone: string): Promise<WebsiteRow> {
    return this.#limiter.run(caller.teamId, async () => {
      const tenant = this.#deps.db.as(caller)
      const website = await tenant.transaction((q) => findOrCreateSample(q, caller.teamId, timeZone, this.#deps))
      await addTraffic(this.#deps, website)
      return website
    })
  }

  async remove(caller: TenantId): Promise<number> {
    const id = await deleteSampleWebsite(this.#deps.db.as(caller))
    if (id === undefined) throw notFound()
    return id
  }
}

/** A website that is younger than this may get its traffic from the request that created it. */
const MAX_CREATION_MS = MINUTE_MS

/** Adds traffic to sample websites that have none, because the server stopped while it created them. */
export async function addMissingSampleTraffic(deps: SampleDataDeps, signal?: AbortSignal): Promise<void> {
  const createdBefore = addMs(deps.clock.now(), -MAX_CREATION_MS)
  for (const website of await listSampleWebsitesWithoutTraffic(deps.db, createdBefore)) {
    if (signal?.aborted) return
    await addTraffic(deps, website)
  }
}

async function addTraffic(deps: SampleDataDeps, website: SampleWebsite): Promise<void> {
  const { clock, rollup } = deps
  const { id, domain, time_zone: timeZone } = website
  // On a busy machine, inserting all events can take longer than a request may wait for the database.
  const db = deps.db.on('background')
  await rollup.rollUpAll()
  if ((await listTrafficDays(db, id)).size > 0) return
  const to = clock.now().getTime()
  const from = findFirstMoment(timeZone, to)
  const options = { websiteId: id, domain, timeZone, from, to, visitorsPerDay: VISITORS_PER_DAY, seed: SEED }
  const outages = await listSampleOutages(db, id)
  const isUp = ({ at }: TrafficEvent) =>
    !outages.some(({ startedAt, resolvedAt }) => at >= startedAt.getTime() && at < resolvedAt.getTime())
  await importEvents(
    { ...deps, db },
    {
      site: { id, domain },
      readEvents: () => splitIntoChunks(generateDemoEvents(options).filter(isUp)),
      mayAddToExistingDays: false,
    },
  )
  await rollup.rollUpAll()
  await scheduleSampleMeasurements(db, id, clock.now())
}

const findFirstMoment = (timeZone: string, to: number) =>
  localDay(timeZone, addDays(localDayAt(timeZone, to).day, 1 - SAMPLE_DAYS)).startsAt

async function findOrCreateSample(
  q: Queries,
  teamId: number,
  timeZone: string,
  { clock, secret }: Pick<SampleDataDeps, 'clock' | 'secret'>,
): Promise<WebsiteRow> {
  // Another node may be creating sample data for the same user.
  await lockSampleWebsite(q, teamId)
  const existingWebsite = await findSampleWebsite(q)
  if (existingWebsite !== undefined) return existingWebsite
  const now = clock.now()
  const website = await insertWebsite(q, teamId, createSampleWebsite(timeZone), now)
  const settings = createSettings({ friendly_name: 'Lantern shop (sample)', url: `https://${website.domain}/` })
  const monitorId = await insertMonitor(q, teamId, {
    monitor: { ...toMonitorColumns(settings, teamId, secret), ...noBeatToken },
    searchText: toSearchText(settings),
    status: 'paused',
    now,
  })
  const from = findFirstMoment(timeZone, now.getTime())
  const history = generateMonitorHistory(from, now.getTime(), {
    intervalMs: settings.interval * SECOND_MS,
    seed: SEED,
  })
  await fillSampleMonitor(q, { teamId, monitorId, websiteId: website.id, from: new Date(from), now, history })
  return website
}

/** The top-level domain .example is reserved, so this is nobody's real website. The random part makes it unique. */
function createSampleWebsite(timeZone: string) {
  return {
    domain: `lantern-${randomInt(36 ** 4, 36 ** 5).toString(36)}.example`,
    unicode: null,
    privacy: PRIVACY.private,
    passwordHash: null,
    email: websiteDefaults.email,
    excludeBots: websiteDefaults.exclude_bots,
    excludeParams: null,
    excludeIps: null,
    favorite: websiteDefaults.favorite,
    timeZone,
    tags: [],
    quietDays: [],
    holidays: null,
    isSample: true,
  }
}
