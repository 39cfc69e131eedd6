/** Other programs that want all of the CPU: one endless loop per core. The scheduler leaves about half of each core to Belfry. */
import { type ChildProcess, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** The loops end by themselves after `maxSeconds`, even if the benchmark was killed. */
export function startBusyLoops(maxSeconds: number): { stop(): void } {
  const script = `const end = Date.now() + ${maxSeconds * 1_000}; while (Date.now() < end);`
  const loops: ChildProcess[] = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', script], { stdio: 'ignore' }),
  )
  return {
    stop() {
      for (const loop of loops) loop.kill()
    },
  }
}
