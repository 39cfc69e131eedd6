/** Runs `belfry move` as a process, and measures or kills it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_INTERVAL_MS = 50

export interface MoveRun {
  /** null if it was killed. */
  code: number | null
  seconds: number
  peakMb: number
  output: string
}

export async function runMove(
  to: string,
  env: Record<string, string>,
  { killAfterMs }: { killAfterMs?: number } = {},
): Promise<MoveRun> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['bin/belfry.js', 'move', '--to', to], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  let peakMb = 0
  let hasEnded = false
  const exitCodePromise = once(child, 'close').then(([code]) => {
    hasEnded = true
    return code as number | null
  })
  while (!hasEnded) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peakMb = Math.max(peakMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    await Promise.race([exitCodePromise, delay(POLL_INTERVAL_MS)])
  }
  return { code: await exitCodePromise, seconds: (performance.now() - startedAt) / 1000, peakMb, output }
}
