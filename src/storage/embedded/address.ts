import { closeSync, constants, openSync } from 'node:fs'
import { StartupError } from '../../lib/startup-error.ts'
import { type Layout, SOCKET_PORT } from './layout.ts'

export interface DatabaseAddress {
  /** The folder of the Unix socket. `pg` recognises it by the leading "/". */
  host: string
  port: number
  user: string
  database: string
}

export interface SocketAddressHandle {
  address: DatabaseAddress
  /**
   * Call it when the address is no longer needed. If the socket's path is too long, `address` uses a file descriptor that
   * stays open until then. Only this process can use such an address.
   */
  close(): void
}

/** The unprivileged role that owns the database. Role and database share the name. */
export const OWNER_ROLE = 'belfry'
export const SUPERUSER = 'postgres'

// The size of sockaddr_un.sun_path, minus the terminating NUL.
const MAX_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107

/** Returns the address at which PostgreSQL's Unix socket can be reached. Doesn't connect. */
export function acquireSocketAddress(layout: Layout): SocketAddressHandle {
  const target = { port: SOCKET_PORT, user: OWNER_ROLE, database: OWNER_ROLE }
  if (Buffer.byteLength(layout.socket) <= MAX_SOCKET_PATH_BYTES) {
    return { address: { host: layout.socketFolder, ...target }, close: () => {} }
  }
  if (process.platform !== 'linux') {
    throw new StartupError(
      `The path of the data folder ${layout.dataDir} is too long for a Unix socket.`,
      'Choose a data folder with a shorter path.',
    )
  }
  // A path through the folder's file descriptor is short, however long the folder's own path is.
  let fd: number | undefined = openSync(layout.socketFolder, constants.O_RDONLY | constants.O_DIRECTORY)
  return {
    address: { host: `/proc/self/fd/${fd}`, ...target },
    close() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
    },
  }
}
