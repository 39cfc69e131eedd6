/** A server in a separate process with users, and a fast way to fill its database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Database } from '../../src/storage/database.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import { joinDatabase, openDatabase } from '../../src/storage/open-database.ts'
import { createBenchKey, password, signInToBench } from './account.ts'
import { freePort, serveBelfry, startProcess } from './processes.ts'

export interface BenchCaller {
  headers: Record<string, string>
}

export interface BenchServer {
  port: number
  base: string
  /** The process id of the server, and of all processes of the server and its database. */
  pid(): number
  processes(): Promise<number[]>
  db: Database
  /** Restarts the server and its PostgreSQL. */
  restart(env: Record<string, string>): Promise<void>
  /** Creates a user with a key that has these scopes. */
  createUser(name: string, ...scopes: string[]): Promise<BenchCaller>
  /**
   * Runs an insert in batches, so that it can print progress. $1 is the owner's email address, $2 and $3 are the first and
   * last row number of the batch.
   */
  fill(name: string, what: string, insert: string, size: number): Promise<void>
  /** Autovacuum would do this within a minute. */
  vacuum(...tables: string[]): Promise<void>
  stop(): Promise<void>
}

const BATCH = 10_000
const emailOf = (name: string) => `${name}@example.com`

/** No checks run by default, so that they don't disturb other benchmarks. */
const quiet = { BELFRY_ROLES: 'web,worker' }

export async function startBenchServer(): Promise<BenchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-'))
  const dataDir = join(folder, 'data')
  const port = await freePort()
  const serve = (env: Record<string, string>) =>
    startProcess(serveBelfry, port, {
      BELFRY_DATA: dataDir,
      BELFRY_ADMIN_EMAIL: emailOf('admin'),
      BELFRY_ADMIN_PASSWORD: password,
      BELFRY_RATE_LIMIT: '0',
      ...env,
    })
  let belfry = await serve(quiet)
  const base = `http://127.0.0.1:${port}`
  const cookie = await signInToBench(base, emailOf('admin'))
  const log = pino({ level: 'silent' })
  const source = await joinDatabase({ dataDir, databaseUrl: undefined }, log)
  const { db } = await openDatabase(source, { log, sizes: { pipelined: 1, transactions: 1 }, schema: 'require' })
  return {
    port,
    base,
    pid: () => belfry.pid,
    processes: async () => [belfry.pid, ...(await findProcessesIn(layoutOf(dataDir).cluster))],
    db,
    async restart(env) {
      await belfry.stop()
      belfry = await serve(env)
    },
    async createUser(name, ...scopes) {
      const body = new URLSearchParams({ email: emailOf(name), password })
      await fetch(`${base}/api/users`, { method: 'POST', headers: { cookie }, body })
      const key = await createBenchKey(base, await signInToBench(base, emailOf(name)), ...scopes)
      return { headers: { authorization: `Bearer ${key}` } }
    },
    async fill(name, what, insert, size) {
      for (let done = 0; done < size; done += BATCH) {
        const end = Math.min(size, done + BATCH)
        await db.query(insert, [emailOf(name), done, end - 1])
        process.stderr.write(`\r  ${end.toLocaleString('en')} ${what} of ${name} `)
      }
      process.stderr.write('\n')
    },
    async vacuum(...tables) {
      for (const table of tables) await db.query(`vacuum (analyze) ${table}`)
    },
    async stop() {
      await db.close()
      await source.release()
      await belfry.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
