/** One PostgreSQL server of a test cluster: its processes, its role in the replication, and its faults. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findBinaries } from '../../src/storage/embedded/binaries.ts'
import { chooseIdentity } from '../../src/storage/embedded/choose-identity.ts'
import { makePrivateFolder } from '../../src/storage/embedded/data-folder.ts'
import { type Identity, spawnAs } from '../../src/storage/embedded/identity.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn, signalAll } from '../../src/storage/embedded/processes.ts'
import { run } from '../../src/storage/embedded/run.ts'
import { findFreePort } from './free-port.ts'

const HOST = '127.0.0.1'
const START_TIMEOUT_MS = 30_000

export interface PostgresServer {
  port: number
  dataDir: string
  /** Connects to the database `belfry` as its owner. */
  connection: pg.ClientConfig
  superuserConnection: pg.ClientConfig
  /** Runs SQL as superuser, by default in the database `postgres`, and returns the rows of the last statement. */
  query<R extends pg.QueryResultRow>(sql: string, database?: string, values?: unknown[]): Promise<R[]>
  start(): Promise<void>
  /** Ends all sessions and shuts down cleanly, after replicas have received everything. */
  stop(): Promise<void>
  /** Kills all processes of the server, including frozen ones. */
  kill(): Promise<void>
  /** Stops all processes of the server by SIGSTOP: its sockets stay open and accept connections, but it doesn't respond. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** Starts the server as a replica. A former primary must have stopped cleanly before the new primary was promoted. */
  startAsReplicaOf(primary: PostgresServer): Promise<void>
  promote(): Promise<void>
  waitUntilCaughtUpWith(primary: PostgresServer): Promise<void>
  /** Switches `default_transaction_read_only`, which also applies to open sessions. */
  setReadOnly(isReadOnly: boolean): Promise<void>
  /** Changes settings that need no restart. */
  reconfigure(settings: Record<string, string>): Promise<void>
  /** Replaces the lines of pg_hba.conf. The superuser can always connect. */
  setAccessRules(rules: readonly string[]): Promise<void>
  /** Locks a table of Belfry against all other access. */
  lockTable(name: string): Promise<{ release(): Promise<void> }>
}

/** Returns the user that must run servers whose data is in this folder. */
export function chooseServerIdentity(folder: string): Promise<Identity> {
  return chooseIdentity({ layout: layoutOf(folder), binaries: findBinaries(), libraryPath: undefined })
}

/** Creates the files of a new cluster. */
export async function createCluster(dataDir: string, identity: Identity): Promise<void> {
  const binaries = findBinaries()
  makePrivateFolder(dataDir, identity)
  const options = ['--username=postgres', '--auth=trust', '--no-sync', '--no-instructions']
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
  const { code, stdout, stderr } = await run([binaries.initdb, `--pgdata=${dataDir}`, ...options, ...locale], {
    identity,
  })
  if (code !== 0) throw new Error(`initdb failed: ${stdout}${stderr}`)
}

export class ServerProcesses implements PostgresServer {
  port = 0
  readonly dataDir: string
  readonly #identity: Identity
  readonly #settings: Record<string, string>
  #postmaster: ChildProcess | undefined
  #output = ''

  constructor(dataDir: string, identity: Identity, settings: Record<string, string>) {
    this.dataDir = dataDir
    this.#identity = identity
    this.#settings = { ...settings }
  }

  get connection(): pg.ClientConfig {
    return { host: HOST, port: this.port, user: 'belfry', password: 'belfry', database: 'belfry', ssl: false }
  }

  get superuserConnection(): pg.ClientConfig {
    return { ...this.connection, user: 'postgres' }
  }

  async query<R extends pg.QueryResultRow>(sql: string, database = 'postgres', values?: unknown[]): Promise<R[]> {
    const client = new pg.Client({ ...this.superuserConnection, database, connectionTimeoutMillis: START_TIMEOUT_MS })
    client.on('error', () => {})
    await client.connect()
    try {
      await client.query('set search_path = belfry, public')
      return [await client.query(sql, values)].flat().at(-1)?.rows ?? []
    } finally {
      await client.end()
    }
  }

  async start(): Promise<void> {
    this.port ||= await findFreePort()
    const settings = {
      listen_addresses: HOST,
      port: String(this.port),
      unix_socket_directories: '.',
      fsync: 'off',
      max_connections: '200',
      wal_keep_size: '256MB',
      logging_collector: 'off',
      // Shared memory is in files of the data folder, which are deleted with it. A killed PostgreSQL leaves POSIX
      // shared memory behind.
      dynamic_shared_memory_type: 'mmap',
      ...this.#settings,
    }
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const postmaster = spawnAs(this.#identity, [findBinaries().postgres, '-D', this.dataDir, ...args], {
      cwd: this.dataDir,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#postmaster = postmaster
    this.#output = ''
    postmaster.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text
    })
    await this.#waitUntilReady(postmaster)
  }

  async #waitUntilReady(postmaster: ChildProcess): Promise<void> {
    const endsAt = performance.now() + START_TIMEOUT_MS
    for (;;) {
      try {
        await this.query('select 1')
        return
      } catch (error) {
        const hasEnded = postmaster.exitCode !== null || postmaster.signalCode !== null
        if (hasEnded || performance.now() > endsAt)
          throw new Error(`PostgreSQL did not start: ${error}\n${this.#output}`)
        await delay(20)
      }
    }
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  async kill(): Promise<void> {
    signalAll(await findProcessesIn(this.dataDir), 'SIGKILL')
    await this.#end('SIGKILL')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const postmaster = this.#postmaster
    this.#postmaster = undefined
    if (postmaster === undefined || postmaster.exitCode !== null || postmaster.signalCode !== null) return
    const postmasterExit = once(postmaster, 'exit')
    postmaster.kill(signal)
    await postmasterExit
  }

  async freeze(): Promise<void> {
    // A stopped postmaster starts no further processes, so the list that follows is complete.
    this.#postmaster?.kill('SIGSTOP')
    signalAll(await findProcessesIn(this.dataDir), 'SIGSTOP')
  }

  async thaw(): Promise<void> {
    signalAll(await findProcessesIn(this.dataDir), 'SIGCONT')
  }

  async startAsReplicaOf(primary: PostgresServer): Promise<void> {
    const path = join(this.dataDir, 'standby.signal')
    writeFileSync(path, '')
    const { uid, gid } = statSync(this.dataDir)
    chownSync(path, uid, gid)
    this.#settings['primary_conninfo'] = `host=${HOST} port=${primary.port} user=postgres`
    await this.start()
  }

  async promote(): Promise<void> {
    const [row] = await this.query('select pg_promote(wait => true) as is_promoted')
    if (!row?.['is_promoted']) throw new Error(`PostgreSQL was not promoted:\n${this.#output}`)
  }

  async waitUntilCaughtUpWith(primary: PostgresServer): Promise<void> {
    const [row] = await primary.query('select pg_current_wal_lsn()::text as lsn')
    const endsAt = performance.now() + START_TIMEOUT_MS
    for (;;) {
      const [replicaRow] = await this.query(`select pg_last_wal_replay_lsn() >= '${row?.['lsn']}' as is_caught_up`)
      if (replicaRow?.['is_caught_up']) return
      if (performance.now() > endsAt) throw new Error(`The replica did not catch up:\n${this.#output}`)
      await delay(20)
    }
  }

  async setReadOnly(isReadOnly: boolean): Promise<void> {
    await this.reconfigure({ default_transaction_read_only: isReadOnly ? 'on' : 'off' })
  }

  async reconfigure(settings: Record<string, string>): Promise<void> {
    for (const [name, value] of Object.entries(settings))
      await this.query(`alter system set ${name} = ${pg.escapeLiteral(value)}`)
    await this.#reload()
  }

  async setAccessRules(rules: readonly string[]): Promise<void> {
    const superuserRule = `host all,replication postgres ${HOST}/32 trust`
    writeFileSync(join(this.dataDir, 'pg_hba.conf'), [superuserRule, ...rules, ''].join('\n'))
    await this.#reload()
  }

  /** Waits until new sessions have the new configuration. */
  async #reload(): Promise<void> {
    const [row] = await this.query('select clock_timestamp()::text as now, pg_reload_conf()')
    for (;;) {
      const [loadRow] = await this.query(`select pg_conf_load_time() > '${row?.['now']}' as is_loaded`)
      if (loadRow?.['is_loaded']) return
      await delay(10)
    }
  }

  async lockTable(name: string): Promise<{ release(): Promise<void> }> {
    const client = new pg.Client(this.superuserConnection)
    client.on('error', () => {})
    await client.connect()
    await client.query(`begin; lock table belfry.${pg.escapeIdentifier(name)}`)
    return { release: () => client.end() }
  }
}
