import { join, resolve } from 'node:path'

/** Names the socket file (`.s.PGSQL.5432`); nothing listens on the network. */
export const SOCKET_PORT = 5432

/** Where everything of the embedded PostgreSQL lies. All of it can move together: PostgreSQL is only told relative paths. */
export function layoutOf(dataDir: string) {
  const root = resolve(dataDir)
  return {
    dataDir: root,
    /** held by the running Belfry; holds its pid */
    lock: join(root, 'belfry.lock'),
    /** held by the running Belfry when its database may be used */
    readyLock: join(root, 'belfry.ready'),
    /** held by every process of this PostgreSQL, so that an orphan is noticed even from another container */
    clusterLock: join(root, 'postgres.lock'),
    cluster: join(root, 'postgres'),
    /** where initdb works; renamed to `cluster` when it is whole */
    unfinished: join(root, 'postgres.new'),
    postmasterPid: join(root, 'postgres', 'postmaster.pid'),
    socketFolder: join(root, 'run'),
    socket: join(root, 'run', `.s.PGSQL.${SOCKET_PORT}`),
    logFolder: join(root, 'postgres-log'),
    /** library links, only where the package's own folder cannot be written */
    libraries: join(root, 'postgres-lib'),
  } as const
}

export type Layout = ReturnType<typeof layoutOf>
