/** Debian's pgbouncer in front of a test cluster. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { findFreePort } from './free-port.ts'
import type { PostgresCluster } from './postgres-cluster.ts'

const PROGRAM = '/usr/sbin/pgbouncer'
export const hasPgbouncer = existsSync(PROGRAM)

/** Returns the connection through the pooler, which ends with the test. */
export async function startPgbouncer(
  { primary, folder }: PostgresCluster,
  mode: 'session' | 'transaction',
): Promise<pg.ClientConfig> {
  const port = await findFreePort()
  const settingsFile = join(folder, `pgbouncer-${port}.ini`)
  const usersFile = join(folder, `pgbouncer-${port}.users`)
  writeFileSync(usersFile, '"belfry" "belfry"\n')
  writeFileSync(
    settingsFile,
    `[databases]
belfry = host=127.0.0.1 port=${primary.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${usersFile}
pool_mode = ${mode}
default_pool_size = 30
`,
  )
  // Pgbouncer refuses to run as root.
  const options = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const pgbouncer = spawn(PROGRAM, [...options, settingsFile], { stdio: 'ignore' })
  onTestFinished(async () => {
    pgbouncer.kill('SIGKILL')
    if (pgbouncer.exitCode === null && pgbouncer.signalCode === null) await once(pgbouncer, 'exit')
  })
  const connection = { ...primary.connection, host: '127.0.0.1', port, password: 'belfry', ssl: false }
  await waitUntilConnectable(connection)
  return connection
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
  }
}
