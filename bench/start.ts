/** How long a server takes to start, and its memory while idle. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, memoryOf, serveBelfry, startProcess } from './support/processes.ts'
import { median, promise } from './support/report.ts'

const RUNS = 5
/** Long enough for the garbage collector to clean up after the start. */
const IDLE_MS = 5_000

async function timedStart(folder: string): Promise<{ ms: number; mb: number }> {
  const port = await freePort()
  const from = performance.now()
  const server = await startProcess(serveBelfry, port, { BELFRY_DATA: join(folder, 'data') })
  const ms = performance.now() - from
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const mb = await memoryOf(server.pid)
  await server.stop()
  return { ms, mb }
}

export async function bench(): Promise<boolean> {
  const first: number[] = []
  const later: number[] = []
  const memory: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-'))
    const [fresh, again] = [await timedStart(folder), await timedStart(folder)]
    await rm(folder, { recursive: true, force: true })
    first.push(fresh.ms)
    later.push(again.ms)
    memory.push(fresh.mb, again.mb)
    console.log(
      `  first ${fresh.ms.toFixed(0)} ms, ${fresh.mb.toFixed(0)} MB   later ${again.ms.toFixed(0)} ms, ${again.mb.toFixed(0)} MB`,
    )
  }
  return [
    promise('first start to /readyz within 5 s', `${median(first).toFixed(0)} ms`, median(first) < 5_000),
    promise('later starts within 1.5 s', `${median(later).toFixed(0)} ms`, median(later) < 1_500),
    promise(
      'the idle Node process under 130 MB',
      `${Math.max(...memory).toFixed(0)} MB at most`,
      Math.max(...memory) < 130,
    ),
  ].every(Boolean)
}
