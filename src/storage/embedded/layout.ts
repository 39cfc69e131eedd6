/** Where the files of the embedded PostgreSQL are. */
import { join, resolve } from 'node:path'

/** The port is only a part of the socket's file name (`.s.PGSQL.5432`). PostgreSQL doesn't listen on the network. */
export const SOCKET_PORT = 5432

/** The paths are computed from `dataDir` at each start, so the data folder can be moved as a whole. */
export function layoutOf(dataDir: string) {
  const root = resolve(dataDir)
  return {
    dataDir: root,
    /** Locked by the running server. Contains its pid. */
    lock: join(root, 'belfry.lock'),
    /** Locked by the running server while its database accepts connections. */
    readyLock: join(root, 'belfry.ready'),
    /** Locked by every process of this PostgreSQL, so that an orphan is noticed even from another container. */
    clusterLock: join(root, 'postgres.lock'),
    cluster: join(root, 'postgres'),
    /** initdb creates the cluster in this folder, which is renamed to `cluster` when complete. */
    unfinishedCluster: join(root, 'postgres.new'),
    /** The rules that say who can connect. See connection-rules.ts. */
    hbaFile: join(root, 'postgres-hba.conf'),
    identFile: join(root, 'postgres-ident.conf'),
    postmasterPidFile: join(root, 'postgres', 'postmaster.pid'),
    socketFolder: join(root, 'run'),
    socket: join(root, 'run', `.s.PGSQL.${SOCKET_PORT}`),
    logFolder: join(root, 'postgres-log'),
    /** Links to PostgreSQL's shared libraries. Used only if the folder of PostgreSQL's npm package is read-only. */
    libraryLinks: join(root, 'postgres-lib'),
  } as const
}

export type Layout = ReturnType<typeof layoutOf>
