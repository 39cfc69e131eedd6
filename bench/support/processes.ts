/** Runs servers in separate processes, as in production. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'

/** Linux counts CPU time in hundredths of a second. */
const MS_PER_TICK = 10

export interface Started {
  port: number
  pid: number
  stop(): Promise<void>
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** As `npm start` does. Half the default semi-space saves 7 MB when idle and 40 MB when busy, and costs no speed. */
export const serveBelfry = ['--max-semi-space-size=8', 'bin/belfry.js', 'serve']

export async function startProcess(args: string[], port: number, env: Record<string, string> = {}): Promise<Started> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PORT: String(port), ...env },
  })
  await untilReady(port, child)
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

/** Polls /readyz every few milliseconds, for at most 30 s. */
async function untilReady(port: number, child: ChildProcess): Promise<void> {
  const end = performance.now() + 30_000
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('the server did not get ready')
}

/** Resident memory in MB. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

/** CPU time of processes so far, in milliseconds, including their finished children. */
export async function cpuTimeOf(pids: readonly number[]): Promise<number> {
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')))
  const ticks = stats.map((stat) => {
    // The name can contain anything, so parse after it: state is field 3, and utime, stime, cutime and cstime follow from field 14.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  })
  return ticks.reduce((sum, one) => sum + one, 0) * MS_PER_TICK
}
