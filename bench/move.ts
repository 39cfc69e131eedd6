/**
 * Moves an installation with a million events and 10,000 monitors to a PostgreSQL server and back, compares the API's responses
 * before and after, and kills moves at random moments.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { seededRandom } from '../src/traffic/demo/random.ts'
import { type BenchPostgres, startBenchPostgres } from './support/bench-postgres.ts'
import { type BenchCaller, type BenchServer, startBenchServer } from './support/bench-server.ts'
import { fillOverview, readColumns, trafficTables } from './support/fill-overview.ts'
import { createWebsite, fillWebsite } from './support/fill-traffic.ts'
import { hasBelfryTables, measurePlainCopy, type Place, readFingerprint } from './support/move-baseline.ts'
import { type MoveRun, runMove } from './support/move-process.ts'
import { readResponses } from './support/move-responses.ts'
import { reportPerformancePromise } from './support/report.ts'

/** Each website has an equal share of the events. */
const WEBSITE_COUNT = 20
/** The limit of (duration of a move ÷ duration of a plain COPY). */
const MAX_RATIO = 8
const MAX_MEMORY_MB = 200
/**
 * The benchmark waits at most this long until PostgreSQL has rolled back a killed move. PostgreSQL notices within two
 * seconds that the process is gone.
 */
const MAX_ROLLBACK_MS = 10_000

interface Direction {
  name: string
  source: Place
  target: Place
}

const toEnv = ({ dataDir, databaseUrl }: Place, secret: string): Record<string, string> => ({
  BELFRY_DATA: dataDir,
  BELFRY_SECRET: secret,
  ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
})

const describePlace = ({ databaseUrl }: Place) => databaseUrl ?? 'embedded'

/** BELFRY_DATA is the folder of the embedded database, which may be the source or the target. */
function runMoveInDirection(
  { source, target }: Direction,
  secret: string,
  options?: { killAfterMs: number },
): Promise<MoveRun> {
  const dataDir = target.databaseUrl === undefined ? target.dataDir : source.dataDir
  return runMove(describePlace(target), toEnv({ ...source, dataDir }, secret), options)
}

async function waitUntilEmpty(target: Place): Promise<boolean> {
  const end = performance.now() + MAX_ROLLBACK_MS
  while (performance.now() < end) {
    if (!(await hasBelfryTables(target))) return true
    await delay(200)
  }
  return false
}

/** Kills moves at random moments. Returns how many of them left the source unchanged and the target empty. */
async function killMoves(
  direction: Direction,
  secret: string,
  kills: { count: number; seconds: number; seed: number },
) {
  const random = seededRandom(kills.seed)
  const before = (await readFingerprint(direction.source)).join('\n')
  let intactCount = 0
  for (let n = 0; n < kills.count; n++) {
    const killAfterMs = Math.round((0.05 + 0.85 * random()) * kills.seconds * 1000)
    const { code, output } = await runMoveInDirection(direction, secret, { killAfterMs })
    if (code !== null) throw new Error(`The move ended before it was killed:\n${output}`)
    const isEmpty = await waitUntilEmpty(direction.target)
    const isUnchanged = (await readFingerprint(direction.source)).join('\n') === before
    if (isEmpty && isUnchanged) intactCount++
    const lastLine = output.trimEnd().split('\n').at(-1) ?? ''
    console.log(
      `  killed after ${killAfterMs} ms: target ${isEmpty ? 'empty' : 'NOT EMPTY'}, source ${isUnchanged ? 'unchanged' : 'CHANGED'}${lastLine && ` (${lastLine})`}`,
    )
  }
  return intactCount
}

async function measureDirection(
  direction: Direction,
  options: {
    secret: string
    kills: { count: number; seed: number; seconds: number }
    plainSeconds: number
    readInstallation(place: Place): Promise<string[]>
  },
): Promise<boolean[]> {
  const { secret, kills, plainSeconds } = options
  console.log(direction.name)
  const responsesBefore = await options.readInstallation(direction.source)
  const fingerprintBefore = (await readFingerprint(direction.source)).join('\n')
  const intactCount = await killMoves(direction, secret, kills)
  const run = await runMoveInDirection(direction, secret)
  if (run.code !== 0) throw new Error(run.output)
  for (const [line] of run.output.matchAll(/^(Copied and compared|\d+ tables).*/gm)) console.log(`  ${line}`)
  const isUnchanged = (await readFingerprint(direction.source)).join('\n') === fingerprintBefore
  const isSame = (await readFingerprint(direction.target)).join('\n') === fingerprintBefore
  const responses = await options.readInstallation(direction.target)
  const sameCount = responses.filter((response, index) => response === responsesBefore[index]).length
  const ratio = run.seconds / plainSeconds
  console.log(`  ${run.seconds.toFixed(1)} s, plain COPY ${plainSeconds.toFixed(1)} s`)
  return [
    reportPerformancePromise(
      `at most ${MAX_RATIO}× the time of a plain COPY`,
      `${ratio.toFixed(1)}×`,
      ratio <= MAX_RATIO,
    ),
    reportPerformancePromise(
      `memory under ${MAX_MEMORY_MB} MB`,
      `${run.peakMb.toFixed(0)} MB`,
      run.peakMb < MAX_MEMORY_MB,
    ),
    reportPerformancePromise(
      'same rows in every table, source unchanged',
      isSame && isUnchanged ? 'yes' : 'no',
      isSame && isUnchanged,
    ),
    reportPerformancePromise(
      'same responses of the API',
      `${sameCount} of ${responsesBefore.length}`,
      sameCount === responsesBefore.length,
    ),
    reportPerformancePromise(
      'killed moves left both databases as before',
      `${intactCount} of ${kills.count}`,
      intactCount === kills.count,
    ),
  ]
}

async function moveBothWays(
  postgres: BenchPostgres,
  embeddedPlace: Place,
  options: {
    secret: string
    kills: { count: number; seed: number }
    folder: string
    caller: BenchCaller
    size: { websiteId: number; monitorCount: number }
  },
): Promise<boolean> {
  const { secret, folder } = options
  const serverPlace: Place = { dataDir: embeddedPlace.dataDir, databaseUrl: await postgres.createDatabase('belfry') }
  const plainCopyPlace: Place = { dataDir: embeddedPlace.dataDir, databaseUrl: await postgres.createDatabase('plain') }
  const finalPlace: Place = { dataDir: join(folder, 'back'), databaseUrl: undefined }
  const readInstallation = (place: Place) => readResponses(toEnv(place, secret), options.caller, options.size)
  const plainSeconds = await measurePlainCopy(embeddedPlace, plainCopyPlace)
  await postgres.query('drop database plain', 'postgres')
  const commonOptions = {
    secret,
    plainSeconds,
    readInstallation,
    kills: { ...options.kills, seconds: 3 * plainSeconds },
  }
  const results = [
    ...(await measureDirection(
      { name: 'From the embedded database to a server', source: embeddedPlace, target: serverPlace },
      commonOptions,
    )),
    ...(await measureDirection(
      { name: 'From a server to the embedded database', source: serverPlace, target: finalPlace },
      commonOptions,
    )),
  ]
  return results.every(Boolean)
}

/** Gives a website the traffic of another one, which takes a tenth of the time of generating it. */
async function copyTraffic(server: BenchServer, fromId: number, toId: number): Promise<void> {
  for (const table of trafficTables) {
    const columns = (await readColumns(server, table)).join(', ')
    await server.db.query(
      `insert into ${table} (website_id, ${columns}) select $2, ${columns} from ${table} where website_id = $1`,
      [fromId, toId],
    )
  }
}

export async function bench(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      events: { type: 'string', default: '1000000' },
      monitors: { type: 'string', default: '10000' },
      kills: { type: 'string', default: '3' },
      seed: { type: 'string', default: '1' },
    },
  })
  const monitorCount = Number(values.monitors)
  const secret = 'a secret that is only good for benchmarks'
  const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-move-'))
  const server = await startBenchServer({ BELFRY_SECRET: secret })
  const postgres = await startBenchPostgres()
  try {
    const caller = await server.createUser('ada', 'websites:read', 'websites:write', 'monitors:read')
    await fillOverview(server, 'ada', { monitors: monitorCount, websites: 5 })
    const websiteId = await createWebsite(server, caller, 'large.example')
    const { eventCount } = await fillWebsite(server, websiteId, Number(values.events) / WEBSITE_COUNT)
    for (let n = 1; n < WEBSITE_COUNT; n++)
      await copyTraffic(server, websiteId, await createWebsite(server, caller, `copy-${n}.example`))
    console.log(
      `${(WEBSITE_COUNT * eventCount).toLocaleString('en')} events, ${monitorCount.toLocaleString('en')} monitors`,
    )
    await server.stopAndKeepData()
    const embeddedPlace: Place = { dataDir: server.dataDir, databaseUrl: undefined }
    const kills = { count: Number(values.kills), seed: Number(values.seed) }
    return await moveBothWays(postgres, embeddedPlace, {
      secret,
      kills,
      folder,
      caller,
      size: { websiteId, monitorCount },
    })
  } finally {
    await server.stop()
    await postgres.remove()
    await rm(folder, { recursive: true, force: true })
  }
}
