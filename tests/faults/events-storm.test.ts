/** Nodes and PostgreSQL are killed under load: every acknowledged event is counted, and no event twice, although clients repeat events. */
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addDays } from '../../src/lib/local-day.ts'
import { call } from '../cli/support.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { expectCountsMatchEvents } from '../support/recount.ts'
import { openStoredTraffic } from '../support/stored-traffic.ts'
import { EventStorm } from './event-storm.ts'
import { expectEventsStoredOnce } from './stored-events.ts'
import { LATE_EVENT_COUNT } from './visitors.ts'

const rounds = Number(process.env['BELFRY_FAULT_ROUNDS'] ?? 2)
const seed = Number(process.env['BELFRY_FAULT_SEED'] ?? randomInt(2 ** 31))
const formatSeed = () => `seed ${seed}`

interface SiteOverview {
  domain: string
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on the raw JSON of a response
  data: any
}

let storm: EventStorm
/** The statistics of each website, requested while the nodes were still running. */
let overviews: SiteOverview[]
let exitCodes: (number | null)[]

beforeAll(
  async () => {
    storm = new EventStorm(seed)
    await storm.start()
    for (let round = 1; round <= rounds; round++) {
      await storm.runRound().catch((error) => {
        const output = storm.nodes.map((node) => node.output().slice(-2_000)).join('\n')
        throw new Error(`${formatSeed()}, round ${round}: ${error.message}\n${output}`, { cause: error })
      })
      if (isFaultsRun) printProgress(round)
    }
    await storm.visitors.stop()
    overviews = await Promise.all(storm.sites.map(readOverview))
    // A node stores and rolls up all its events before it ends.
    await Promise.all(storm.nodes.map((node) => node.stop()))
    exitCodes = await Promise.all(storm.nodes.map(({ ended }) => ended))
  },
  60_000 + rounds * 90_000,
)
afterAll(() => storm?.close())

async function readOverview({ id, domain }: EventStorm['sites'][number]): Promise<SiteOverview> {
  const today = new Date().toISOString().slice(0, 10)
  const range = `from=${addDays(today, -60)}&to=${addDays(today, 1)}`
  const { status, body } = await call(storm.nodes[0]?.url ?? '', `/api/v1/stats/${id}/overview?${range}`)
  return { domain, status, data: body.data }
}

/** Prints the progress of a long run. */
function printProgress(round: number): void {
  const { nodes, rollingUp, packing, postgres } = storm.killCounts
  const { sentPages, acknowledgedPages, refusedCount, failedCount, duplicateCount } = storm.visitors
  process.stdout.write(
    `round ${round} of ${rounds}: ${nodes} nodes killed, ${rollingUp} times during a rollup and ${packing} times during ` +
      `packing, PostgreSQL killed ${postgres} times, ${sentPages.size} events sent, ${acknowledgedPages.size} acknowledged, ` +
      `${refusedCount} refused, ${failedCount} without a response, ${duplicateCount} repeats of stored events\n`,
  )
}

describe(`after ${rounds} rounds of kill -9 under load`, () => {
  it('every response was an acknowledgement or a refusal with Retry-After', () => {
    expect(storm.visitors.unexpectedResponses, formatSeed()).toEqual([])
    expect(storm.visitors.acknowledgedPages.size).toBeGreaterThan(LATE_EVENT_COUNT)
  })

  it('the statistics equal a count over the stored events', async () => {
    const queryTraffic = await openStoredTraffic(storm.queryRows)
    for (const [index, { id, domain }] of storm.sites.entries()) {
      const { status, data } = overviews[index] as SiteOverview
      expect(status).toBe(200)
      const [storedCounts] = await queryTraffic<Record<string, number>>(
        `select count(*) filter (where kind = 1)::int as pageviews, count(*) filter (where kind = 2)::int as events,
                count(distinct visit_id)::int as visits,
                (select count(distinct (day, visitor))::int from all_visits where website_id = $3) as visitors
           from all_events where website_id = $3`,
        [id],
      )
      expect(data.totals, `${domain}, ${formatSeed()}`).toMatchObject(storedCounts as object)
      for (const panel of ['source', 'country', 'browser', 'device']) {
        const expectedRows = await queryTraffic(
          `select v.value, count(distinct (day, visitor))::int as count from all_visits
             join traffic_values v on v.website_id = all_visits.website_id and v.id = all_visits.${panel}
            where all_visits.website_id = $3 group by 1 order by 2 desc, min(v.id)`,
          [id],
        )
        expect(data.panels[panel], `${panel} of ${domain}, ${formatSeed()}`).toEqual(expectedRows)
      }
    }
  })

  it('the remaining nodes stop cleanly', () => {
    expect(exitCodes).toEqual(storm.nodes.map(() => 0))
  })

  it('every acknowledged event is stored once, and no other event twice', async () => {
    await expectEventsStoredOnce(storm.queryRows, storm.visitors, formatSeed())
  })

  it('every count of every day and dimension equals a count over the stored events', async () => {
    const verifiedCount = await expectCountsMatchEvents(storm.queryRows, formatSeed())
    if (isFaultsRun) process.stdout.write(`${verifiedCount} counts verified\n`)
    // Makes sure that the comparison above has covered packed days with blocks, and counts that are not packed yet.
    const [existing] = await storm.queryRows<{ packed: boolean; blocks: boolean; counted: boolean }>(
      `select exists (select from traffic_days where page is not null) as packed,
              exists (select from traffic_blocks) as blocks,
              exists (select from traffic_counts) as counted`,
    )
    expect(existing).toEqual({ packed: true, blocks: true, counted: true })
  })
})
