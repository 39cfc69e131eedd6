/** Nodes and PostgreSQL are killed under load: whatever was acknowledged counts, and everything counts once. */
import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addDays, HOUR_MS } from '../../src/lib/local-day.ts'
import { createLog } from '../../src/lib/log.ts'
import { type EmbeddedDatabase, startEmbedded } from '../../src/storage/embedded/embedded.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import type { TrafficEvent } from '../../src/traffic/event.ts'
import { insertBatch } from '../../src/traffic/inbox-store.ts'
import { call, type Folder, makeFolder, type ServerProcess } from '../cli/support.ts'
import { randoms } from '../support/checks.ts'
import { expectCountedRight, type Rows } from '../support/recount.ts'
import { type Belfry, installBelfry, kill, until } from './support.ts'
import { holdCounts } from './traffic-locks.ts'
import { startVisitors, type Visitors } from './visitors.ts'

const rounds = Number(process.env['BELFRY_FAULT_ROUNDS'] ?? 3)
const seed = Number(process.env['BELFRY_FAULT_SEED'] ?? randomInt(2 ** 31))
const isTold = process.env['BELFRY_FAULT_ROUNDS'] !== undefined

const NODES = 2
const KILL_WITHIN_MS = 2_000
/** Before the next round. */
const ANSWERED_EVENTS = 200
/** Old enough to be packed, and as many events of each as keep whoever packs them busy for a while. */
const LATE_DAYS = 20
const LATE_EVENTS = 1_500
const LATE_VISITORS = 25

const sites = [
  { domain: 'example.com', time_zone: 'UTC', id: 0 },
  { domain: 'example.org', time_zone: 'Pacific/Kiritimati', id: 0 },
  { domain: 'example.net', time_zone: 'America/Los_Angeles', id: 0 },
]
const kills = { nodes: 0, addingUp: 0, packing: 0, postgres: 0 }
const random = randoms(seed)
const about = () => `seed ${seed}`

let folder: Folder
let database: EmbeddedDatabase
let belfry: Belfry
let nodes: ServerProcess[]
let visitors: Visitors
let late = 0

/** On a connection of its own each time: PostgreSQL comes and goes. */
const rows: Rows = async (sql, values) => {
  const client = new pg.Client(database.address)
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(`set search_path = belfry; set belfry.across_users = 'on'; set timezone = 'UTC'`)
    return (await client.query(sql, values)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

beforeAll(
  async () => {
    await prepare()
    const storms = [killWhileAddingUp, killWhilePacking, killAtAnyMoment]
    for (let round = 1; round <= rounds; round++) {
      await storms[(round - 1) % storms.length]?.().catch((error) => {
        const output = nodes.map((node) => node.output().slice(-2_000)).join('\n')
        throw new Error(`${about()}, round ${round}: ${error.message}\n${output}`, { cause: error })
      })
      const before = visitors.acknowledged.size
      await until('visitors are answered again', () => visitors.acknowledged.size > before + ANSWERED_EVENTS)
      if (isTold) tell(round)
    }
    await visitors.stop()
  },
  60_000 + rounds * 60_000,
)

afterAll(async () => {
  await visitors?.stop()
  await belfry?.close()
  await database?.stop()
  await folder?.remove()
})

async function prepare(): Promise<void> {
  folder = makeFolder()
  database = await startEmbedded({ dataDir: folder.data('postgres'), log: createLog('fatal', process.stderr) })
  belfry = installBelfry(database.address)
  nodes = []
  await startNodes()
  for (const site of sites) {
    const { domain, time_zone } = site
    site.id = await belfry.make('/api/v1/websites', { domain, time_zone, exclude_bots: 0 })
  }
  const urls = () => nodes.filter((node) => !node.hasEnded()).map(({ url }) => url)
  visitors = startVisitors({ domains: sites.map(({ domain }) => domain), urls, random })
  await until('something of every website has been added up', async () => {
    return (await rows('select from traffic_days')).length >= sites.length
  })
}

async function startNodes(): Promise<void> {
  const starting = Array.from({ length: NODES }, async (_, n) => {
    const node = nodes[n]
    if (node === undefined || node.hasEnded()) nodes[n] = await belfry.start({ BELFRY_ROLES: 'web,worker' })
  })
  await Promise.all(starting)
}

async function killNodes(victims: readonly ServerProcess[] = nodes): Promise<void> {
  for (const node of victims) {
    if (node.hasEnded()) throw new Error(`a node ended by itself:\n${node.output()}`)
  }
  kills.nodes += victims.length
  await Promise.all(victims.map(kill))
}

async function killWhileAddingUp(): Promise<void> {
  const hold = await holdCounts(database.address, 'today')
  try {
    await hold.untilBlocked('insert into traffic_counts')
    await killNodes()
    kills.addingUp++
  } finally {
    await hold.release()
  }
  await startNodes()
}

async function killWhilePacking(): Promise<void> {
  await sendLate()
  await until('what came late is added up', async () => (await rows(stillLate)).length === 0)
  const hold = await holdCounts(database.address, 'earlier')
  try {
    await killNodes()
    await startNodes()
    await hold.untilBlocked('delete from traffic_counts')
    await killNodes()
    kills.packing++
  } finally {
    await hold.release()
  }
  await startNodes()
}

const stillLate = `select from event_inbox where events like '%/late/%'`

/** One node or all of them, with PostgreSQL or without it. In the first of these rounds with it. */
async function killAtAnyMoment(): Promise<void> {
  void sendLate()
  await pause(random() * KILL_WITHIN_MS)
  const withPostgres = kills.postgres === 0 || random() < 0.4
  const postgres = withPostgres ? Math.min(...(await findProcessesIn(layoutOf(folder.data('postgres')).cluster))) : 0
  const victims = random() < 0.5 ? nodes : nodes.slice(0, 1)
  const killed = random() < 0.8 ? killNodes(victims) : undefined
  if (withPostgres) {
    process.kill(postgres, 'SIGKILL')
    kills.postgres++
  }
  await killed
  await until('PostgreSQL is back', () =>
    rows('select 1').then(
      () => true,
      () => false,
    ),
  )
  await startNodes()
}

/** Of days that are long over, as an import brings them. Whether they were kept is not known if PostgreSQL died. */
async function sendLate(): Promise<void> {
  const events = Array.from({ length: LATE_EVENTS }, lateEvent)
  for (const { page } of events) visitors.sent.add(page)
  await insertBatch({ query: rows, flight: () => Promise.reject() } as never, events).then(
    () => {
      for (const { page } of events) visitors.acknowledged.add(page)
    },
    () => {},
  )
}

function lateEvent(): TrafficEvent {
  const day = addDays(new Date().toISOString().slice(0, 10), -3 - Math.floor(random() * LATE_DAYS))
  const hour = Math.floor(random() * 24)
  const site = sites[Math.floor(random() * sites.length)]
  return {
    websiteId: site?.id ?? 0,
    kind: random() < 0.8 ? 'view' : 'custom',
    at: Date.parse(day) + Math.floor((hour + random()) * HOUR_MS),
    day,
    hour,
    visitor: 1 + Math.floor(random() * LATE_VISITORS),
    page: `/late/${late++}`,
    name: 'bought',
    source: random() < 0.5 ? 'Direct' : 'Google',
    country: random() < 0.5 ? 'DE' : 'FR',
  }
}

function tell(round: number): void {
  const { sent, acknowledged, refused, unanswered } = visitors
  process.stdout.write(
    `round ${round} of ${rounds}: ${kills.nodes} nodes killed, ${kills.addingUp} times while adding up and ` +
      `${kills.packing} times while packing, PostgreSQL killed ${kills.postgres} times, ${sent.size} events sent, ` +
      `${acknowledged.size} acknowledged, ${refused} refused, ${unanswered} unanswered\n`,
  )
}

describe(`after ${rounds} rounds of kill -9 under load`, () => {
  it('every answer was an acknowledgement or an honest refusal', () => {
    expect(visitors.strange, about()).toEqual([])
    expect(visitors.acknowledged.size).toBeGreaterThan(LATE_EVENTS)
  })

  it('whoever asks is told what counting comes to', async () => {
    const range = `from=${addDays(new Date().toISOString().slice(0, 10), -60)}&to=${addDays(new Date().toISOString().slice(0, 10), 1)}`
    for (const { id, domain } of sites) {
      const { status, body } = await call(nodes[0]?.url ?? '', `/api/v1/stats/${id}/overview?${range}`)
      expect(status).toBe(200)
      const [counted] = await rows<Record<string, number>>(
        `select count(*) filter (where kind = 1)::int as pageviews, count(*) filter (where kind = 2)::int as events,
                count(distinct visit_id)::int as visits,
                (select count(distinct (day, visitor))::int from visits where website_id = $1) as visitors
           from events where website_id = $1`,
        [id],
      )
      expect(body.data.totals, `${domain}, ${about()}`).toMatchObject(counted as object)
      for (const panel of ['source', 'country', 'browser', 'device']) {
        const shown = await rows(
          `select v.value, count(distinct (day, visitor))::int as count from visits
             join traffic_values v on v.website_id = visits.website_id and v.id = visits.${panel}
            where visits.website_id = $1 group by 1 order by 2 desc, min(v.id)`,
          [id],
        )
        expect(body.data.panels[panel], `${panel} of ${domain}, ${about()}`).toEqual(shown)
      }
    }
  })

  it('the nodes that are left stop when they are asked to', async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    expect(await Promise.all(nodes.map(({ ended }) => ended))).toEqual(nodes.map(() => 0))
  })

  it('every event that was acknowledged is there, once, and of the others none twice', async () => {
    const kept = new Map(
      (
        await rows<{ page: string; count: number }>(
          `select v.value as page, count(*)::int as count from events e
             join traffic_values v on v.website_id = e.website_id and v.id = e.page group by 1`,
        )
      ).map(({ page, count }) => [page, count]),
    )
    expect(
      [...visitors.acknowledged].filter((page) => !kept.has(page)),
      about(),
    ).toEqual([])
    expect(
      [...kept].filter(([page, count]) => count !== 1 || !visitors.sent.has(page)),
      about(),
    ).toEqual([])
    expect(await rows('select id, fault from event_inbox'), about()).toEqual([])
  })

  it('every number of every day and dimension is what counting the events comes to', async () => {
    const numbers = await expectCountedRight(rows, about())
    if (isTold) process.stdout.write(`${numbers} numbers counted again, all of them right\n`)
    const [days] = await rows<{ packed: number; not: number }>(
      'select count(*) filter (where is_packed)::int as packed, count(*) filter (where not is_packed)::int as not from traffic_days',
    )
    expect(days?.packed).toBeGreaterThan(0)
    expect(days?.not).toBeGreaterThan(0)
  })
})
