/** Measures what happens to checks while other programs take half of the CPU, and how the checker recovers afterwards. */
import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE_MS } from '../../src/shared/time.ts'
import type { BenchServer } from './bench-server.ts'
import { startBusyLoops } from './busy-loops.ts'
import { readMemoryMb } from './processes.ts'
import { reportPerformancePromise } from './report.ts'

/** How far the checks are behind at one moment. */
interface Progress {
  /** Seconds since the last check of a monitor. */
  age: { p50: number; p99: number; longest: number }
  memoryMb: number
  readyMs: number
  /** What /readyz says. */
  reasons: string[]
}

const MAX_MEMORY_MB = 300
/** The longest time since a monitor's last check, compared with the p99 of all monitors. */
const MAX_LONGEST_TO_P99 = 1.2
const MAX_RECOVERY_MINUTES = 3
/** In the first minutes of an overload, these times still grow, so their ratio doesn't count. */
const IGNORED_MINUTES = 2

async function readProgress({ baseUrl, db, pid }: BenchServer): Promise<Progress> {
  const [age] = await db.query<Progress['age']>(
    `select percentile_disc(0.5) within group (order by seconds) as p50,
            percentile_disc(0.99) within group (order by seconds) as p99,
            max(seconds) as longest
       from (select extract(epoch from now() - last_checked_at)::float8 as seconds from monitor_states) s`,
  )
  const startedAt = performance.now()
  const response = await fetch(`${baseUrl}/readyz`)
  const { reasons = [] } = (await response.json()) as { reasons?: string[] }
  return {
    age: age ?? { p50: Number.NaN, p99: Number.NaN, longest: Number.NaN },
    memoryMb: await readMemoryMb(pid()),
    readyMs: performance.now() - startedAt,
    reasons,
  }
}

async function countChecks({ db }: BenchServer): Promise<{ checks: number; failed: number; incidents: number }> {
  const [row] = await db.query<{ checks: number; failed: number; incidents: number }>(
    `select count(*) as checks, count(cause) as failed, (select count(*) from incidents) as incidents from checks`,
  )
  return row ?? { checks: 0, failed: 0, incidents: 0 }
}

/** Prints a line for each minute. */
async function watchMinutes(
  server: BenchServer,
  minutes: number,
  { isDone = () => false }: { isDone?(progress: Progress): boolean } = {},
): Promise<Progress[]> {
  const all: Progress[] = []
  let before = await countChecks(server)
  for (let minute = 1; minute <= minutes; minute++) {
    await delay(MINUTE_MS)
    const progress = await readProgress(server)
    const after = await countChecks(server)
    const { age, memoryMb, readyMs, reasons } = progress
    console.log(
      `  minute ${minute}: ${((after.checks - before.checks) / 60).toFixed(0)} checks a second; last check ` +
        `${age.p50.toFixed(0)} s ago (p50), ${age.p99.toFixed(0)} s (p99), ${age.longest.toFixed(0)} s (longest); ` +
        `${memoryMb.toFixed(0)} MB; /readyz ${readyMs.toFixed(0)} ms${reasons.length > 0 ? `: ${reasons.join(' ')}` : ''}`,
    )
    all.push(progress)
    before = after
    if (isDone(progress)) break
  }
  return all
}

/** All monitors must have been checked before. */
export async function measureOverload(
  server: BenchServer,
  { intervalSeconds, busyMinutes }: { intervalSeconds: number; busyMinutes: number },
): Promise<boolean[]> {
  if (busyMinutes <= IGNORED_MINUTES) throw new Error(`--busy-minutes must be more than ${IGNORED_MINUTES}`)
  console.log('With an endless loop on each core:')
  const busyLoops = startBusyLoops((busyMinutes + 5) * 60)
  const busy = await watchMinutes(server, busyMinutes).finally(() => busyLoops.stop())
  console.log('After the end of the loops:')
  const isInTime = ({ age, reasons }: Progress) => age.longest <= intervalSeconds + 2 && reasons.length === 0
  const after = await watchMinutes(server, MAX_RECOVERY_MINUTES + 1, { isDone: isInTime })
  const { failed, incidents } = await countChecks(server)
  const memoryMb = Math.max(...[...busy, ...after].map((progress) => progress.memoryMb))
  const readyMs = Math.max(...busy.map((progress) => progress.readyMs))
  const longestToP99 = Math.max(...busy.slice(IGNORED_MINUTES).map(({ age }) => age.longest / age.p99))
  return [
    reportPerformancePromise('no false incident', `${incidents}, and ${failed} failed checks`, incidents === 0),
    reportPerformancePromise(
      `the Node process under ${MAX_MEMORY_MB} MB`,
      `${memoryMb.toFixed(0)} MB`,
      memoryMb < MAX_MEMORY_MB,
    ),
    reportPerformancePromise(
      `even: the longest time since the last check at most ${MAX_LONGEST_TO_P99}× of p99`,
      `${longestToP99.toFixed(2)}×`,
      longestToP99 <= MAX_LONGEST_TO_P99,
    ),
    reportPerformancePromise('/readyz within 1 s', `${readyMs.toFixed(0)} ms at most`, readyMs <= 1_000),
    reportPerformancePromise(
      `in time again within ${MAX_RECOVERY_MINUTES} minutes of the end`,
      `${after.length} min`,
      after.length <= MAX_RECOVERY_MINUTES && isInTime(after.at(-1) as Progress),
    ),
  ]
}
