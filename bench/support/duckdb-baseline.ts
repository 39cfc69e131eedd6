/** DuckDB as the baseline of filtered statistics: the same events and the same questions, in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { to as copyTo } from 'pg-copy-streams'
import { copySettings } from '../../src/storage/backup/snapshot.ts'
import type { CountedTotals } from '../../src/traffic/counting/question.ts'
import { type Dimension, visitDimensions, visitorDimensions } from '../../src/traffic/model/dimensions.ts'
import { type Place, withPlace } from './move-baseline.ts'
import { readMemoryMb } from './processes.ts'

/** The panels that are compared: those that most questions are about. */
export const comparedPanels = [
  'page',
  'landing_page',
  'source',
  'country',
  'browser',
  'os',
  'device',
  'event',
] as const satisfies Dimension[]

export interface DuckDbQuery {
  /** The first and the last day. */
  from: string
  to: string
  /** The pattern is one of the API, such as `/docs/*`. All filters must match. */
  filters: readonly { dimension: Dimension; pattern: string }[]
  panels: readonly Dimension[]
  /**
   * `plain` counts distinct visitors, which is how most people would ask DuckDB. `tuned` gives the same result faster: it uses that
   * the visits of a visitor are stored one after the other.
   */
  method: 'plain' | 'tuned'
}

export interface DuckDbOverview {
  /** The totals of each day that has matching visits. */
  days: (CountedTotals & { day: string })[]
  /** The ten largest counts of each panel. */
  panels: Partial<Record<Dimension, { value: string; count: number }[]>>
}

export interface DuckDbResult {
  ms: number
  overview: DuckDbOverview
}

/** The process sends this message when it has loaded the events. After that, it answers each query with a `DuckDbResult`. */
export interface DuckDbLoaded {
  databaseBytes: number
}

export interface DuckDb {
  databaseBytes: number
  /** Call it only when the previous query has ended. */
  query(query: DuckDbQuery): Promise<DuckDbResult>
  readMemoryMb(): Promise<number>
  /** Ends the process and deletes its data. */
  stop(): Promise<void>
}

/** Loads the events and visits of a website. Reads their rows, so call it before the days are packed. */
export async function startDuckDb(place: Place, websiteId: number): Promise<DuckDb> {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-bench-duckdb-'))
  const deleteFolder = () => rm(folder, { recursive: true, force: true })
  try {
    await exportRows(place, websiteId, folder)
    const child = fork(new URL('./duckdb-process.ts', import.meta.url), [folder])
    const { databaseBytes } = await readMessage<DuckDbLoaded>(child)
    return {
      databaseBytes,
      query(query) {
        child.send(query)
        return readMessage<DuckDbResult>(child)
      },
      readMemoryMb: () => readMemoryMb(child.pid ?? 0),
      async stop() {
        const processExit = once(child, 'exit')
        child.disconnect()
        await processExit
        await deleteFolder()
      },
    }
  } catch (error) {
    await deleteFolder()
    throw error
  }
}

async function readMessage<T>(child: ChildProcess): Promise<T> {
  const controller = new AbortController()
  const { signal } = controller
  try {
    const processExit = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`DuckDB's process exited with code ${code}.`)
    })
    const [message] = await Promise.race([once(child, 'message', { signal }), processExit])
    return message as T
  } finally {
    controller.abort()
  }
}

/** Writes the CSV files that the process loads. */
function exportRows(place: Place, websiteId: number, folder: string): Promise<void> {
  const statements = {
    values: `select id, kind, value from traffic_values where website_id = ${websiteId}`,
    visits: `select day, visitor, id, (views <= 1 and actions = 0)::integer as is_bounce,
                    (extract(epoch from last_at - started_at) * 1000)::bigint as duration_ms,
                    ${[...visitorDimensions, ...visitDimensions].join(', ')}
               from visits
              where website_id = ${websiteId}`,
    events: `select at, visit_id, kind, page, name, engaged_ms from events where website_id = ${websiteId}`,
  }
  return withPlace(place, async (client) => {
    await client.query('begin isolation level repeatable read read only')
    await client.query(copySettings)
    for (const [name, statement] of Object.entries(statements)) {
      await pipeline(
        client.query(copyTo(`copy (${statement}) to stdout (format csv, header)`)),
        createWriteStream(join(folder, `${name}.csv`)),
      )
    }
    await client.query('commit')
  })
}
