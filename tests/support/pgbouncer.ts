/** Debian's pgbouncer in front of a test cluster. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findFreePort } from './free-port.ts'
import type { PostgresCluster } from './postgres-cluster.ts'

const PROGRAM = '/usr/sbin/pgbouncer'
export const hasPgbouncer = existsSync(PROGRAM)

export type PgbouncerMode = 'session' | 'transaction'

export interface Pgbouncer {
  /** The connection through the pooler. */
  connection: pg.ClientConfig
  /** Resolves when the pooler accepts connections. */
  start(): Promise<void>
  /** Changes the mode while clients are connected, as an administrator does: a new setting and a reload. */
  switchTo(mode: PgbouncerMode): void
  /** Ends the process immediately, and with it all connections. */
  kill(): Promise<void>
}

/** `port` is the port that pgbouncer connects to. By default, it is the port of the cluster's primary. */
export async function startPgbouncer(
  { primary, folder }: PostgresCluster,
  mode: PgbouncerMode,
  port = primary.port,
): Promise<Pgbouncer> {
  const ownPort = await findFreePort()
  const settingsFile = join(folder, `pgbouncer-${ownPort}.ini`)
  const usersFile = join(folder, `pgbouncer-${ownPort}.users`)
  writeFileSync(usersFile, '"belfry" "belfry"\n')
  const writeSettings = (poolMode: PgbouncerMode) =>
    writeFileSync(
      settingsFile,
      `[databases]
belfry = host=127.0.0.1 port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${usersFile}
pool_mode = ${poolMode}
default_pool_size = 60
server_login_retry = 1
`,
    )
  writeSettings(mode)
  const connection = { ...primary.connection, host: '127.0.0.1', port: ownPort, password: 'belfry', ssl: false }
  let child: ChildProcess | undefined
  const pgbouncer: Pgbouncer = {
    connection,
    async start() {
      // pgbouncer refuses to run as root.
      const options = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
      child = spawn(PROGRAM, [...options, settingsFile], { stdio: 'ignore' })
      await waitUntilConnectable(connection)
    },
    switchTo(poolMode) {
      writeSettings(poolMode)
      child?.kill('SIGHUP')
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const childExit = once(child, 'exit')
      child.kill('SIGKILL')
      await childExit
    },
  }
  await pgbouncer.start()
  return pgbouncer
}

async function waitUntilConnectable(connection: pg.ClientConfig): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const client = new pg.Client(connection)
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await delay(20)
  }
}
