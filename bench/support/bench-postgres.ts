/** Runs a PostgreSQL server beside the embedded one, with the settings of a new installation. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chooseServerIdentity, createCluster, ServerProcesses } from '../../tests/support/postgres-server.ts'

export interface BenchPostgres {
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>
  /** Runs SQL as superuser. */
  query(sql: string, database: string): Promise<Record<string, unknown>[]>
  remove(): Promise<void>
}

export async function startBenchPostgres(): Promise<BenchPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-bench-postgres-'))
  // Started as root, PostgreSQL runs as the user `nobody`, which must be able to traverse this folder.
  chmodSync(folder, 0o711)
  const identity = await chooseServerIdentity(folder)
  await createCluster(join(folder, 'data'), identity)
  const server = new ServerProcesses(join(folder, 'data'), identity, { fsync: 'on' })
  await server.start()
  await server.query(`create role belfry login createrole password 'belfry'`)
  return {
    async createDatabase(name) {
      await server.query(`create database ${name} owner belfry template template0 encoding 'UTF8'`)
      return `postgres://belfry:belfry@127.0.0.1:${server.port}/${name}?sslmode=disable`
    },
    query: (sql, database) => server.query(sql, database),
    async remove() {
      await server.kill()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
