/**
 * A real PostgreSQL primary with streaming replicas, and the faults that a failover brings. It uses the binaries of the embedded
 * PostgreSQL, so nothing has to be installed. Everything listens on 127.0.0.1.
 *
 *   const cluster = await startPostgresCluster({ replicaCount: 1 })
 *   const { primary, replicas: [replica] } = cluster
 *   const proxy = await startTcpProxy(primary.port)             // tests/support/tcp-proxy.ts
 *   createBelfry(primary.connection)                            // or DATABASE_URL: buildDatabaseUrl([primary, replica])
 *
 *   await primary.setReadOnly(true)                             // default_transaction_read_only, for open sessions, too
 *   await primary.stop(); await replica.promote()               // a planned failover
 *   await primary.kill(); await replica.promote()               // a crash
 *   await primary.startAsReplicaOf(replica)                     // after a planned failover: the old primary is now a standby
 *   await primary.freeze(); await primary.thaw()                // SIGSTOP and SIGCONT for all processes of the server
 *   const lock = await primary.lockTable('monitor_states'); await lock.release()
 *   proxy.stall(); proxy.resume(); proxy.stallOpenConnections() // black holes
 *   proxy.forwardTo(replica.port)                               // a virtual address that moves to another server
 *   await cluster.close()
 *
 * The database `belfry` belongs to the login `belfry` and is migrated.
 */
import { chmodSync, chownSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import type { Identity } from '../../src/storage/embedded/identity.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { copyFolder, copyOriginal, createMigratedDataFolder } from './data-folder.ts'
import { chooseServerIdentity, type PostgresServer, ServerProcesses } from './postgres-server.ts'
import { endCluster } from './run-folders.ts'

export type { PostgresServer } from './postgres-server.ts'

export interface PostgresCluster {
  primary: PostgresServer
  replicas: PostgresServer[]
  folder: string
  /** Creates a file that only PostgreSQL and this process can read, such as a private key. Returns its path. */
  createFile(name: string, text: string): string
  /** Kills all servers, including frozen ones, and deletes their data. */
  close(): Promise<void>
}

export interface PostgresClusterOptions {
  replicaCount?: number
  /** Settings of all servers. */
  settings?: Record<string, string>
}

export async function startPostgresCluster(options: PostgresClusterOptions = {}): Promise<PostgresCluster> {
  const { replicaCount = 0, settings = {} } = options
  const folder = mkdtempSync(join(inject('runFolder'), 'cluster-'))
  // If this process is root, PostgreSQL runs as the user `nobody`, which must be able to traverse this folder.
  chmodSync(folder, 0o711)
  const servers: ServerProcesses[] = []
  const close = async () => {
    for (const { dataDir } of servers) await endCluster(dataDir)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const identity = await chooseServerIdentity(folder)
    await copyOriginal('new-cluster', join(folder, 'primary'), (dataDir) => createMigratedCluster(dataDir, identity))
    const primary = new ServerProcesses(join(folder, 'primary'), identity, settings)
    servers.push(primary)
    for (let n = 0; n < replicaCount; n++) {
      // The replica is a copy from before the primary's first start. Replication sends it everything since then.
      const dataDir = join(folder, `replica${n}`)
      copyFolder(join(folder, 'primary'), dataDir)
      servers.push(new ServerProcesses(dataDir, identity, settings))
    }
    const replicas = servers.slice(1)
    await primary.start()
    for (const replica of replicas) await replica.startAsReplicaOf(primary)
    for (const replica of replicas) await replica.waitUntilCaughtUpWith(primary)
    const createFile = (name: string, text: string) => {
      const path = join(folder, name)
      writeFileSync(path, text, { mode: 0o600 })
      const { uid, gid } = statSync(primary.dataDir)
      chownSync(path, uid, gid)
      return path
    }
    return { primary, replicas, folder, createFile, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Every user can connect from this machine without a password, also for replication. */
const TRUSTING_RULES = ['all', 'replication'].map((database) => `host ${database} all 127.0.0.1/32 trust\n`).join('')

/** Uses the cluster of an embedded database, because initdb and all migrations take seconds. */
async function createMigratedCluster(dataDir: string, identity: Identity): Promise<void> {
  const embeddedFolder = `${dataDir}-embedded`
  await createMigratedDataFolder(embeddedFolder)
  renameSync(layoutOf(embeddedFolder).cluster, dataDir)
  writeFileSync(join(dataDir, 'pg_hba.conf'), TRUSTING_RULES)
  const server = new ServerProcesses(dataDir, identity, {})
  try {
    await server.start()
    await server.query(`alter role belfry password 'belfry'`)
    await server.stop()
  } finally {
    await server.kill()
  }
}

/** Returns a DATABASE_URL that lists several servers, or ports of proxies in front of them. */
export function buildDatabaseUrl(
  servers: readonly { port: number }[],
  query = 'target_session_attrs=read-write',
): string {
  return `postgres://belfry:belfry@${servers.map(({ port }) => `127.0.0.1:${port}`).join()}/belfry?${query}`
}
