import { readFileSync, rmSync } from 'node:fs'
import type { Layout } from './layout.ts'

export interface PostmasterFile {
  pid: number
  /** PostgreSQL's own word: starting, stopping, ready or standby; empty in the first moment */
  status: string
}

/** What PostgreSQL wrote about itself; undefined when it is not running, or was stopped cleanly. */
export function readPostmasterFile(layout: Layout): PostmasterFile | undefined {
  try {
    const lines = readFileSync(layout.postmasterPid, 'utf8').split('\n')
    const pid = Number(lines[0])
    return Number.isInteger(pid) && pid > 0 ? { pid, status: lines[7]?.trim() ?? '' } : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Removes what a killed PostgreSQL left behind. PostgreSQL would refuse to start when the pids in these files belong to
 * some process by now, which is the rule after the restart of a container. Only for the holder of the cluster's lock.
 */
export function removeStaleFiles(layout: Layout): void {
  for (const path of [layout.postmasterPid, layout.socket, `${layout.socket}.lock`]) rmSync(path, { force: true })
}
