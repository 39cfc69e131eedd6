/** Stores visits of simulated visitors, as the server stores them after it received their events. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { dimensionTable } from '../../src/traffic/model/dimensions.ts'
import { encodeVisitSlot, findFirstSlotAt } from '../../src/traffic/model/visit-slots.ts'
import { addCount, type CountMap, packVisitSlots, unpackCounts } from '../../src/traffic/packing/packed-counts.ts'
import { ensureMonthPartitions } from '../../src/traffic/retention/partitions.ts'
import { assignValueIds } from '../../src/traffic/rollup/store.ts'
import { createEventAt } from './inbox-events.ts'
import type { TestServer } from './server.ts'

export interface SimulatedVisits {
  websiteId: number
  from: string | number
  to: string | number
  /** Visits per hour at noon in UTC. At midnight, there are a fifth as many. */
  perHour: number
  hostname: string
  /** Of the days before this one, only the packed counts of visits are stored, because thousands of events would take seconds. */
  eventsSince?: string
}

const EVENTS_PER_BATCH = 5_000
let lastVisitor = 0

/** Inserts a visit at each of the times, each by a different visitor. */
export async function insertVisitsAt(
  { services: { db, rollup } }: TestServer,
  websiteId: number,
  times: readonly number[],
  hostname?: string,
): Promise<void> {
  const events = times.map((at) =>
    createEventAt(websiteId, new Date(at).toISOString(), {
      visitor: ++lastVisitor,
      ...(hostname !== undefined && { hostname }),
    }),
  )
  for (let batchStart = 0; batchStart < events.length; batchStart += EVENTS_PER_BATCH) {
    await insertBatch(db, events.slice(batchStart, batchStart + EVENTS_PER_BATCH))
    await rollup.rollUpAll()
  }
}

/** The times between visits vary like those of real visitors, but are the same in every run. */
export async function insertVisits(server: TestServer, options: SimulatedVisits): Promise<void> {
  const { websiteId, hostname } = options
  const [from, to] = [toMs(options.from), toMs(options.to)]
  await ensureMonthPartitions(server.services.db, from, to)
  const random = createRandom(7)
  const times: number[] = []
  for (let at = from; at < to; at += MINUTE_MS) {
    const distanceFromNoon = Math.abs(((at % DAY_MS) - DAY_MS / 2) / (DAY_MS / 2))
    const mean = (options.perHour * (1 - 0.8 * distanceFromNoon) * MINUTE_MS) / HOUR_MS
    for (let n = drawPoisson(mean, random); n > 0; n--) times.push(at + Math.floor(random() * MINUTE_MS))
  }
  const visits = times.filter((at) => at < to).sort((one, other) => one - other)
  const isPacked = (at: number) => at < Date.parse(options.eventsSince ?? '1970-01-01')
  await insertPackedVisits(server, websiteId, visits.filter(isPacked), hostname)
  await insertVisitsAt(
    server,
    websiteId,
    visits.filter((at) => !isPacked(at)),
    hostname,
  )
}

/** Adds visits to the packed counts of their days. The website's time zone must be UTC. */
async function insertPackedVisits(
  { services: { db } }: TestServer,
  websiteId: number,
  times: readonly number[],
  hostname: string,
): Promise<void> {
  await db.transaction(async (q) => {
    const value = { websiteId, kind: dimensionTable.hostname.kind, value: hostname }
    const [hostnameId = 0] = await assignValueIds(q, [value])
    const packedDays = await q.query<{ day: string; packed: string | null }>(
      'select day::text as day, visit_slots as packed from traffic_days where website_id = $1 and is_packed',
      [websiteId],
    )
    const countsByDay = new Map(packedDays.map(({ day, packed }): [string, CountMap] => [day, unpackCounts(packed)]))
    for (const at of times) {
      const day = new Date(at).toISOString().slice(0, 10)
      const counts = countsByDay.get(day) ?? new Map()
      countsByDay.set(day, counts)
      addCount(counts, encodeVisitSlot(hostnameId, at, findFirstSlotAt(day)), 1)
    }
    const rows = [...countsByDay].map(([day, counts]) => ({
      day,
      visits: [...counts.values()].reduce((sum, count) => sum + count, 0),
      slots: packVisitSlots(counts),
    }))
    await q.query(
      `insert into traffic_days (website_id, day, visitors, views, visits, bounces, duration_ms, events, is_packed, visit_slots)
       select $1, day, visits, visits, visits, visits, 0, 0, true, slots
         from jsonb_to_recordset($2) as r (day date, visits integer, slots text)
       on conflict (website_id, day) do update
         set visitors = excluded.visitors, views = excluded.views, visits = excluded.visits, bounces = excluded.bounces,
             visit_slots = excluded.visit_slots`,
      [websiteId, JSON.stringify(rows)],
    )
  })
}

const toMs = (time: string | number) => (typeof time === 'number' ? time : Date.parse(time))

function drawPoisson(mean: number, random: () => number): number {
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count++
  return count
}

/** Uses the generator mulberry32, which gives the same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let hash = Math.imul(state ^ (state >>> 15), 1 | state)
    hash = (hash + Math.imul(hash ^ (hash >>> 7), 61 | hash)) ^ hash
    return ((hash ^ (hash >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * Copies the traffic of a website to another, because storing the visits again would take seconds. The host of all
 * visits must be the domain of their website. Of days before `visitsSince`, this copies only the counts, not the
 * visits.
 */
export async function copyVisits(
  { services: { db } }: TestServer,
  from: { websiteId: number; domain: string },
  to: { websiteId: number; domain: string },
  visitsSince: string,
): Promise<void> {
  const conditions = { visits: `t.day >= '${visitsSince}'`, traffic_days: '', traffic_counts: '', traffic_values: '' }
  await db.transaction(async (q) => {
    for (const [table, condition] of Object.entries(conditions)) {
      await q.query(
        `insert into ${table}
         select copy.*
           from ${table} t
          cross join lateral jsonb_populate_record(null::${table}, to_jsonb(t) || jsonb_build_object('website_id', $2::bigint)) copy
          where t.website_id = $1 and ${condition || 'true'}`,
        [from.websiteId, to.websiteId],
      )
    }
    await q.query('update traffic_values set value = $3 where website_id = $1 and value = $2', [
      to.websiteId,
      from.domain,
      to.domain,
    ])
  })
}
