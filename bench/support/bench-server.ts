/** Runs a server in a separate process, and fills its database quickly. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Database } from '../../src/storage/database.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import { connectOrStartDatabase, openDatabase, withOwnerConnection } from '../../src/storage/open-database.ts'
import { createBenchKey, password, signInToBench } from './account.ts'
import { findFreePort, serveArguments, startProcess } from './processes.ts'

export interface BenchCaller {
  headers: Record<string, string>
}

export interface BenchServer {
  port: number
  baseUrl: string
  dataDir: string
  /** The process id of the server. */
  pid(): number
  /** The process ids of the server and its database. */
  findPids(): Promise<number[]>
  db: Database
  /** Restarts the server and its PostgreSQL. */
  restart(env: Record<string, string>): Promise<void>
  /** Creates a user with a key that has these scopes. */
  createUser(name: string, ...scopes: string[]): Promise<BenchCaller>
  /**
   * Inserts `rowCount` rows for the user `userName` in batches, and prints the progress with `rowsLabel`. In the statement
   * `insertSql`, $1 is the user's email address, $2 and $3 are the first and last row number of the batch.
   */
  fill(userName: string, rowsLabel: string, insertSql: string, rowCount: number): Promise<void>
  /** Vacuums and analyzes tables, as autovacuum would within a minute. */
  vacuum(...tables: string[]): Promise<void>
  /** Stops the server and keeps its data. */
  stopAndKeepData(): Promise<void>
  /** Stops the server, unless it is already stopped, and deletes its data. */
  stop(): Promise<void>
}

const BATCH_SIZE = 10_000
const emailFor = (name: string) => `${name}@example.com`

/** Checks would disturb benchmarks that measure something else, so the server runs none by default. */
const envWithoutChecks = { BELFRY_ROLES: 'web,worker' }

/** `firstEnv` replaces settings until the first restart. */
export async function startBenchServer(firstEnv: Record<string, string> = {}): Promise<BenchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-'))
  const dataDir = join(folder, 'data')
  const port = await findFreePort()
  const startServerProcess = (env: Record<string, string>) =>
    startProcess(serveArguments, port, {
      BELFRY_DATA: dataDir,
      BELFRY_ADMIN_EMAIL: emailFor('admin'),
      BELFRY_ADMIN_PASSWORD: password,
      BELFRY_RATE_LIMIT: '0',
      // Benchmarks contact no other servers.
      BELFRY_FAVICONS: 'off',
      ...env,
    })
  let serverProcess = await startServerProcess({ ...envWithoutChecks, ...firstEnv })
  const baseUrl = `http://127.0.0.1:${port}`
  const cookie = await signInToBench(baseUrl, emailFor('admin'))
  const log = pino({ level: 'silent' })
  const source = await connectOrStartDatabase({ dataDir, databaseUrl: undefined }, log)
  const limits = { timeoutMs: 30_000, requestConnections: 2, backgroundConnections: 2 }
  const { db } = await openDatabase(source, { log, limits, group: 'background', schema: 'require' })
  let stopPromise: Promise<void> | undefined
  const stopAndKeepData = () => (stopPromise ??= stopServer())
  const stopServer = async () => {
    await db.close()
    await source.release()
    await serverProcess.stop()
  }
  return {
    port,
    baseUrl,
    dataDir,
    pid: () => serverProcess.pid,
    findPids: async () => [serverProcess.pid, ...(await findProcessesIn(layoutOf(dataDir).cluster))],
    db,
    async restart(env) {
      await serverProcess.stop()
      serverProcess = await startServerProcess(env)
    },
    async createUser(name, ...scopes) {
      const body = new URLSearchParams({ email: emailFor(name), password })
      await fetch(`${baseUrl}/api/users`, { method: 'POST', headers: { cookie }, body })
      const key = await createBenchKey(baseUrl, await signInToBench(baseUrl, emailFor(name)), ...scopes)
      return { headers: { authorization: `Bearer ${key}` } }
    },
    async fill(userName, rowsLabel, insertSql, rowCount) {
      for (let start = 0; start < rowCount; start += BATCH_SIZE) {
        const end = Math.min(rowCount, start + BATCH_SIZE)
        await db.query(insertSql, [emailFor(userName), start, end - 1])
        process.stderr.write(`\r  ${end.toLocaleString('en')} ${rowsLabel} of ${userName} `)
      }
      process.stderr.write('\n')
    },
    async vacuum(...tables) {
      // VACUUM can't run in a transaction, and `db` runs every statement in one.
      await withOwnerConnection(source.connection, async (client) => {
        for (const table of tables) await client.query(`vacuum (analyze) ${table}`)
      })
    },
    stopAndKeepData,
    async stop() {
      await stopAndKeepData()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
