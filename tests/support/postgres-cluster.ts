/**
 * A real PostgreSQL primary with streaming replicas, and the faults that a failover brings. It uses the binaries of the embedded
 * PostgreSQL, so nothing has to be installed. Everything listens on 127.0.0.1.
 *
 *   const cluster = await startPostgresCluster({ replicaCount: 1 })
 *   const { primary, replicas: [replica] } = cluster
 *   const proxy = await startTcpProxy(primary.port)             // tests/support/tcp-proxy.ts
 *   createBelfry(primary.connection)                            // or DATABASE_URL: listHosts([primary, replica])
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
 * The database `belfry` belongs to the login `belfry` and is migrated, unless `isMigrated` is false.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrateDatabase } from '../../src/storage/migrations.ts'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import { createCluster, type PostgresServer, ServerProcesses } from './postgres-server.ts'
import { databaseFolder } from './temporary-folder.ts'

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
  isMigrated?: boolean
  /** Settings of all servers. */
  settings?: Record<string, string>
}

export async function startPostgresCluster(options: PostgresClusterOptions = {}): Promise<PostgresCluster> {
  const { replicaCount = 0, isMigrated = true, settings = {} } = options
  const folder = mkdtempSync(join(databaseFolder, 'belfry-cluster-'))
  // If this process is root, PostgreSQL runs as the user `nobody`, which must be able to traverse this folder.
  chmodSync(folder, 0o711)
  const servers: ServerProcesses[] = []
  const close = async () => {
    await Promise.all(servers.map((server) => server.kill()))
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const identity = await createCluster(join(folder, 'primary'))
    const primary = new ServerProcesses(join(folder, 'primary'), identity, settings)
    servers.push(primary)
    for (let n = 0; n < replicaCount; n++) {
      // Copied before the primary's first start, a replica has the state after initdb and receives everything else.
      const dataDir = join(folder, `replica${n}`)
      copyFolder(join(folder, 'primary'), dataDir)
      servers.push(new ServerProcesses(dataDir, identity, settings))
    }
    const replicas = servers.slice(1)
    await primary.start()
    await primary.query(`create role belfry login createrole createdb password 'belfry'`)
    await primary.query('create database belfry owner belfry')
    if (isMigrated) await withOwnerConnection(primary.connection, migrateDatabase)
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

/** Unlike fs.cp, this keeps the owner of the files. */
function copyFolder(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The data folder could not be copied: ${stderr}`)
}

/** Returns a DATABASE_URL that lists several servers, or ports of proxies in front of them. */
export function listHosts(servers: readonly { port: number }[], query = 'target_session_attrs=read-write'): string {
  return `postgres://belfry:belfry@${servers.map(({ port }) => `127.0.0.1:${port}`).join()}/belfry?${query}`
}
