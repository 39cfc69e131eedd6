import { closeSync, constants, openSync } from 'node:fs'
import { StartupError } from '../../lib/startup-error.ts'
import { type Layout, SOCKET_PORT } from './layout.ts'

export interface DatabaseAddress {
  /** the folder of the Unix socket; always begins with "/", by which `pg` knows it is one */
  host: string
  port: number
  user: string
  database: string
}

export interface OpenAddress {
  address: DatabaseAddress
  /** the address may be good only until then, and only in this process */
  close(): void
}

/** The ordinary role that owns the database; it has the database's name. */
export const OWNER = 'belfry'
export const SUPERUSER = 'postgres'

// What fits in sockaddr_un, without the closing zero.
const MAX_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107

export function openAddress(layout: Layout): OpenAddress {
  const ending = { port: SOCKET_PORT, user: OWNER, database: OWNER }
  if (Buffer.byteLength(layout.socket) <= MAX_SOCKET_PATH_BYTES) {
    return { address: { host: layout.socketFolder, ...ending }, close: () => {} }
  }
  if (process.platform !== 'linux') {
    throw new StartupError(
      `The path of the data folder ${layout.dataDir} is too long for a Unix socket.`,
      'Choose a data folder with a shorter path.',
    )
  }
  // A folder that is too deep to name is short by its descriptor.
  let fd: number | undefined = openSync(layout.socketFolder, constants.O_RDONLY | constants.O_DIRECTORY)
  return {
    address: { host: `/proc/self/fd/${fd}`, ...ending },
    close() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
    },
  }
}
