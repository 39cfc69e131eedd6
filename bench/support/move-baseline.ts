/** Fingerprints databases, and copies one without the work that a move adds: indexes, constraints and verification. */
import { pipeline } from 'node:stream/promises'
import pg, { type ClientBase } from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { pino } from 'pino'
import { readTables } from '../../src/storage/backup/catalogue.ts'
import { copySettings } from '../../src/storage/backup/snapshot.ts'
import { migrateDatabase } from '../../src/storage/migrations.ts'
import { connectOrStartDatabase, withOwnerConnection } from '../../src/storage/open-database.ts'

/** A database: the embedded one of a data folder, or the one at a URL. */
export interface Place {
  dataDir: string
  databaseUrl: string | undefined
}

export async function withPlace<T>(place: Place, work: (client: ClientBase) => Promise<T>): Promise<T> {
  const source = await connectOrStartDatabase(place, pino({ level: 'silent' }))
  try {
    return await withOwnerConnection(source.connection, work)
  } finally {
    await source.release()
  }
}

/** Returns the number of rows and a hash of each table. */
export function readFingerprint(place: Place): Promise<string[]> {
  return withPlace(place, async (client) => {
    await client.query('begin read only')
    await client.query(copySettings)
    const lines: string[] = []
    for (const { name } of await readTables(client, 'move')) {
      const { rows } = await client.query(
        `select count(*)::text as count, sum(hashtextextended(t::text, 7))::text as hash from belfry.${pg.escapeIdentifier(name)} t`,
      )
      lines.push(`${name} ${rows[0].count} ${rows[0].hash}`)
    }
    await client.query('rollback')
    return lines
  })
}

export function hasBelfryTables(place: Place): Promise<boolean> {
  return withPlace(place, async (client) => {
    const { rows } = await client.query(`select to_regnamespace('belfry') is not null as exists`)
    return rows[0].exists
  })
}

/** Pipes COPY TO of every table into COPY FROM of a table without indexes. Returns the duration in seconds. */
export function measurePlainCopy(source: Place, target: Place): Promise<number> {
  return withPlace(source, (from) =>
    withPlace(target, async (to) => {
      await migrateDatabase(to)
      await to.query('create schema plain')
      const startedAt = performance.now()
      await from.query('begin isolation level repeatable read read only')
      await from.query(copySettings)
      await to.query('begin')
      for (const { name, columns } of await readTables(from, 'move')) {
        const table = pg.escapeIdentifier(name)
        const list = columns.map(pg.escapeIdentifier).join(', ')
        await to.query(`create table plain.${table} (like belfry.${table})`)
        await pipeline(
          from.query(copyTo(`copy (select ${list} from belfry.${table}) to stdout`)),
          to.query(copyFrom(`copy plain.${table} (${list}) from stdin`)),
        )
      }
      await to.query('commit')
      return (performance.now() - startedAt) / 1000
    }),
  )
}
