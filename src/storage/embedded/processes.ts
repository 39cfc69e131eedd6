/** Finds the processes of a cluster by their working directory, which is PostgreSQL's data directory. */

import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs'
import { isRoot } from './identity.ts'
import { run } from './run.ts'

// Only these processes are signalled: another process in the folder may be a user's shell.
const PROCESS_NAMES: readonly string[] = ['postgres', 'initdb']

/** Returns the pids of the PostgreSQL processes whose working directory is `folder`, as far as this process can see them. */
export async function findProcessesIn(folder: string): Promise<number[]> {
  const folderStats = statSync(folder, { throwIfNoEntry: false })
  if (folderStats === undefined) return []
  if (process.platform !== 'linux') return findPidsByCommandLine(folder)
  const pids: number[] = []
  const hiddenPids: number[] = []
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    if (!PROCESS_NAMES.includes(readProcessName(pid))) continue
    const match = hasWorkingDirectory(pid, folderStats)
    if (match === true) pids.push(pid)
    if (match === 'hidden') hiddenPids.push(pid)
  }
  return [...pids, ...(await filterPidsAsOwner(hiddenPids, folder, folderStats))]
}

export async function isProcessIn(pid: number, folder: string): Promise<boolean> {
  return (await findProcessesIn(folder)).includes(pid)
}

export function signalAll(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // The process has exited in the meantime.
    }
  }
}

function readProcessName(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

/** Compares device and inode, because a different folder in another container may have the same path. */
function hasWorkingDirectory(pid: number, folderStats: Stats): boolean | 'hidden' {
  try {
    const { dev, ino } = statSync(`/proc/${pid}/cwd`)
    return dev === folderStats.dev && ino === folderStats.ino
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'hidden' : false
  }
}

/**
 * Returns those of `pids` whose working directory is `folder`. Root in a container usually lacks CAP_SYS_PTRACE and can't
 * inspect another user's processes, so this runs a script as the folder's owner.
 */
async function filterPidsAsOwner(pids: number[], folder: string, { uid, gid }: Stats): Promise<number[]> {
  if (pids.length === 0 || !isRoot() || uid === 0) return []
  const script = 'for pid do if [ "/proc/$pid/cwd" -ef "$0" ]; then echo "$pid"; fi; done'
  const { stdout } = await run(['sh', '-c', script, folder, ...pids.map(String)], {
    identity: { kind: 'user', uid, gid },
  })
  return stdout.split('\n').filter(Boolean).map(Number)
}

/** macOS has no /proc, so this looks for the folder in the command line. */
async function findPidsByCommandLine(folder: string): Promise<number[]> {
  const { stdout } = await run(['ps', '-axo', 'pid=,command='])
  return stdout
    .split('\n')
    .filter((line) => line.includes(`postgres -D ${folder} `))
    .map((line) => Number.parseInt(line, 10))
}
