/** Runs operations at a steady rate, as a checker does, and measures their CPU time. */
import { setTimeout as delay } from 'node:timers/promises'

/** Checks start in groups at this interval. */
const GROUP_INTERVAL_MS = 25
const WARM_UP_SHARE = 0.25

async function runPaced(count: number, perSecond: number, operation: (index: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  const running: Promise<void>[] = []
  while (running.length < count) {
    await delay(GROUP_INTERVAL_MS)
    const dueCount = Math.min(count, ((performance.now() - startedAt) / 1_000) * perSecond)
    while (running.length < dueCount) running.push(operation(running.length))
  }
  await Promise.all(running)
}

/** Returns the CPU time of one operation in milliseconds. `readCpuMs` returns the CPU time so far. */
export async function measurePaced(
  { count, perSecond }: { count: number; perSecond: number },
  operation: (index: number) => Promise<void>,
  readCpuMs: () => number | Promise<number>,
): Promise<number> {
  await runPaced(count * WARM_UP_SHARE, perSecond, operation)
  const before = await readCpuMs()
  await runPaced(count, perSecond, operation)
  return ((await readCpuMs()) - before) / count
}
