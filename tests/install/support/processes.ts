/** The processes of a server that was started from its installed package. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPostmasterPid } from '../../support/embedded.ts'
import { waitFor } from './use-installation.ts'

/** Returns the process IDs of the server and of its PostgreSQL. */
export async function readServerProcesses(dataDir: string): Promise<[server: number, postmaster: number]> {
  return waitFor('the record of the server', async () => {
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'server.json'), 'utf8')) as { pid: number }
    return [pid, readPostmasterPid(dataDir)]
  })
}

/** A zombie process counts as ended. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
