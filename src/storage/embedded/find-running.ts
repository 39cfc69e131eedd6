import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { StartupError } from '../../lib/startup-error.ts'
import { type OpenAddress, openAddress } from './address.ts'
import { explainFolderError, isSystemError } from './data-folder.ts'
import { findFolderUse } from './folder-lock.ts'
import { layoutOf } from './layout.ts'

const TIMEOUT_MS = 10_000
const POLL_MS = 50

/**
 * For the command line: the address when another live Belfry runs this data folder's database, waiting while that one
 * is still starting. Undefined when none does; then startEmbedded is free to start it. Never starts anything.
 */
export async function findRunningEmbedded(dataDir: string): Promise<OpenAddress | undefined> {
  const layout = layoutOf(dataDir)
  const deadline = performance.now() + TIMEOUT_MS
  try {
    for (let use = await findFolderUse(layout); use !== undefined; use = await findFolderUse(layout)) {
      if (use === 'ready') {
        const open = openAddress(layout)
        // Not while a PostgreSQL that died is being started again.
        if (await isAnswering(open)) return open
        open.close()
      }
      if (performance.now() > deadline) {
        throw new StartupError(
          `A Belfry holds the data folder ${layout.dataDir}, but its database is not ready.`,
          'Try again when it has started.',
        )
      }
      await pause(POLL_MS)
    }
    return undefined
  } catch (error) {
    throw isSystemError(error) ? explainFolderError(error, layout) : error
  }
}

function isAnswering({ address: { host, port } }: OpenAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(`${host}/.s.PGSQL.${port}`)
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
