/** Finding the processes of one cluster: PostgreSQL works inside its data directory, so its working folder tells. */

import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs'
import { isRoot } from './identity.ts'
import { run } from './run.ts'

// Anything else in there is somebody's shell, which must not be signalled.
const OURS: readonly string[] = ['postgres', 'initdb']

/** The processes of PostgreSQL that work in `folder`, in the containers and namespaces that this process can see. */
export async function findProcessesIn(folder: string): Promise<number[]> {
  const place = statSync(folder, { throwIfNoEntry: false })
  if (place === undefined) return []
  if (process.platform !== 'linux') return findByCommandLine(folder)
  const found: number[] = []
  const hidden: number[] = []
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    if (!OURS.includes(readComm(pid))) continue
    const answer = worksIn(pid, place)
    if (answer === true) found.push(pid)
    if (answer === 'hidden') hidden.push(pid)
  }
  return [...found, ...(await askOwner(hidden, folder, place))]
}

export async function isProcessIn(pid: number, folder: string): Promise<boolean> {
  return (await findProcessesIn(folder)).includes(pid)
}

export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

function readComm(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

/** By device and inode, not by name: another container may have another folder under the same name. */
function worksIn(pid: number, place: Stats): boolean | 'hidden' {
  try {
    const { dev, ino } = statSync(`/proc/${pid}/cwd`)
    return dev === place.dev && ino === place.ino
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'hidden' : false
  }
}

/** Root in a container usually lacks CAP_SYS_PTRACE and cannot look at another user's processes, while that user can. */
async function askOwner(pids: number[], folder: string, { uid, gid }: Stats): Promise<number[]> {
  if (pids.length === 0 || !isRoot() || uid === 0) return []
  const script = 'for pid do if [ "/proc/$pid/cwd" -ef "$0" ]; then echo "$pid"; fi; done'
  const { stdout } = await run(['sh', '-c', script, folder, ...pids.map(String)], {
    identity: { kind: 'user', uid, gid },
  })
  return stdout.split('\n').filter(Boolean).map(Number)
}

/** macOS has no /proc: the server names its folder on its command line. */
async function findByCommandLine(folder: string): Promise<number[]> {
  const { stdout } = await run(['ps', '-axo', 'pid=,command='])
  return stdout
    .split('\n')
    .filter((line) => line.includes(`postgres -D ${folder} `))
    .map((line) => Number.parseInt(line, 10))
}
