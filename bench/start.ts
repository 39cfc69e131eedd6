/** Measures how long a server takes to start, and its memory while idle. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, readMemoryMb, serveArguments, startProcess } from './support/processes.ts'
import { median, reportPerformancePromise } from './support/report.ts'

const RUNS = 5
/** This is long enough for the garbage collector to clean up after the start. */
const IDLE_MS = 5_000

async function measureStart(folder: string): Promise<{ ms: number; mb: number }> {
  const port = await findFreePort()
  const startedAt = performance.now()
  const server = await startProcess(serveArguments, port, { BELFRY_DATA: join(folder, 'data') })
  const ms = performance.now() - startedAt
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const mb = await readMemoryMb(server.pid)
  await server.stop()
  return { ms, mb }
}

export async function bench(): Promise<boolean> {
  const firstStartMs: number[] = []
  const laterStartMs: number[] = []
  const memoryMb: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-'))
    const [firstStart, laterStart] = [await measureStart(folder), await measureStart(folder)]
    await rm(folder, { recursive: true, force: true })
    firstStartMs.push(firstStart.ms)
    laterStartMs.push(laterStart.ms)
    memoryMb.push(firstStart.mb, laterStart.mb)
    console.log(
      `  first ${firstStart.ms.toFixed(0)} ms, ${firstStart.mb.toFixed(0)} MB   later ${laterStart.ms.toFixed(0)} ms, ${laterStart.mb.toFixed(0)} MB`,
    )
  }
  return [
    reportPerformancePromise(
      'first start to /readyz within 5 s',
      `${median(firstStartMs).toFixed(0)} ms`,
      median(firstStartMs) < 5_000,
    ),
    reportPerformancePromise(
      'later starts within 1.5 s',
      `${median(laterStartMs).toFixed(0)} ms`,
      median(laterStartMs) < 1_500,
    ),
    reportPerformancePromise(
      'the idle Node process under 130 MB',
      `${Math.max(...memoryMb).toFixed(0)} MB at most`,
      Math.max(...memoryMb) < 130,
    ),
  ].every(Boolean)
}
