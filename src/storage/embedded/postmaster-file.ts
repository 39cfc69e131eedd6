import { rmSync } from 'node:fs'
import { readPrivateFile } from '../../lib/private-file.ts'
import type { Layout } from './layout.ts'

export interface PostmasterFile {
  pid: number
  /** The status as PostgreSQL writes it: starting, stopping, ready or standby. Empty at first. */
  status: string
}

/** Returns the contents of postmaster.pid, or undefined if PostgreSQL never ran or was stopped cleanly. */
export function readPostmasterFile(layout: Layout): PostmasterFile | undefined {
  try {
    const lines = readPrivateFile(layout.postmasterPidFile).split('\n')
    const pid = Number(lines[0])
    return Number.isInteger(pid) && pid > 0 ? { pid, status: lines[7]?.trim() ?? '' } : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Removes the files of a killed PostgreSQL. PostgreSQL refuses to start if a pid in them now belongs to another process,
 * as is common after a container restart. Call it only while holding the cluster's lock.
 */
export function removeStaleFiles(layout: Layout): void {
  for (const path of [layout.postmasterPidFile, layout.socket, `${layout.socket}.lock`]) rmSync(path, { force: true })
}
