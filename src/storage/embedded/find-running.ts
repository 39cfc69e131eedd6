import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../lib/startup-error.ts'
import { acquireSocketAddress, type SocketAddressHandle } from './address.ts'
import { explainFolderError, isSystemError } from './data-folder.ts'
import { findFolderUse } from './folder-lock.ts'
import { layoutOf } from './layout.ts'

const READY_TIMEOUT_MS = 10_000
const POLL_INTERVAL_MS = 50

/**
 * Returns the database's address if a server is using this data folder, for the command line. Waits while that server
 * is still starting. Returns undefined when no server is running, and never starts anything.
 */
export async function findRunningEmbedded(dataDir: string): Promise<SocketAddressHandle | undefined> {
  const layout = layoutOf(dataDir)
  const deadline = performance.now() + READY_TIMEOUT_MS
  try {
    for (
      let folderUse = await findFolderUse(layout);
      folderUse !== undefined;
      folderUse = await findFolderUse(layout)
    ) {
      if (folderUse === 'ready') {
        const addressHandle = acquireSocketAddress(layout)
        // The folder stays ready while the server restarts a PostgreSQL that died, so try to connect.
        if (await isAcceptingConnections(addressHandle)) return addressHandle
        addressHandle.close()
      }
      if (performance.now() > deadline) {
        throw new StartupError(
          `A Belfry server is using the data folder ${layout.dataDir}, but its database isn't ready.`,
          'Try again when it has started.',
        )
      }
      await delay(POLL_INTERVAL_MS)
    }
    return undefined
  } catch (error) {
    throw isSystemError(error) ? explainFolderError(error, layout) : error
  }
}

function isAcceptingConnections({ address: { host, port } }: SocketAddressHandle): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(`${host}/.s.PGSQL.${port}`)
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
