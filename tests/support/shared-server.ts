/** Lends one server to the test files of a worker, because starting and stopping a server takes a quarter of a second of processor time. */
import { syncRateCounts } from '../../src/storage/rate-counts.ts'
import { startTestServer, type TestServer } from './server.ts'

/** A server that no file uses for this long is stopped, because its background jobs need processor time. */
const MAX_IDLE_MS = 10_000

/** The server itself fills these tables. */
const tablesOfServer = new Set(['beat_reception', 'collection_gaps', 'instance', 'migrations', 'nodes', 'rollups'])

/**
 * The server keeps a part of what these tables hold in memory, too, and deleting their rows doesn't change that. A file that
 * fills them needs a server of its own.
 */
const cachedTables = ['event_batches', 'event_inbox', 'rate_counts', 'status_pages', 'visitor_salts']

interface SharedServer {
  server: TestServer
  /** Returns the names of the tables that contain rows. */
  listFilledTables(): Promise<string[]>
  isLent: boolean
  idleTimer?: NodeJS.Timeout
}

let sharedServer: SharedServer | undefined

/**
 * Lends the worker's server, which has default options and no users. `close` returns it: it deletes all users and resets the
 * clock. Ids continue where the previous file stopped.
 *
 * A file needs a server of its own (`startTestServer`) if it stops the server, changes other things than rows of users,
 * counts what the whole server does, or creates thousands of rows, which would slow down the files after it.
 */
export async function shareTestServer(): Promise<TestServer> {
  // The previous file failed before it could return the server.
  if (sharedServer?.isLent) await stopSharedServer(sharedServer)
  sharedServer ??= await startSharedServer()
  const lentServer = sharedServer
  lentServer.isLent = true
  clearTimeout(lentServer.idleTimer)
  return { ...lentServer.server, close: () => takeBack(lentServer) }
}

async function startSharedServer(): Promise<SharedServer> {
  const server = await startTestServer()
  const db = findPatientDatabase(server)
  const tables = await db.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relnamespace = 'belfry'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  )
  const filledTablesSql = tables
    .filter(({ name }) => !tablesOfServer.has(name))
    .map(({ name }) => `select '${name}' as name where exists (select from ${name})`)
    .join(' union all ')
  const listFilledTables = async () => (await db.query<{ name: string }>(filledTablesSql)).map(({ name }) => name)
  return { server, listFilledTables, isLent: false }
}

/** Background statements may take half a minute. Those of requests time out after a few seconds, which is too early on a busy machine. */
const findPatientDatabase = ({ services }: TestServer) => services.db.on('background')

async function takeBack(lentServer: SharedServer): Promise<void> {
  try {
    await deleteRows(lentServer)
  } catch (error) {
    await stopSharedServer(lentServer)
    throw error
  }
  lentServer.isLent = false
  lentServer.idleTimer = setTimeout(() => void stopSharedServer(lentServer), MAX_IDLE_MS)
  lentServer.idleTimer.unref()
}

/** Throws if the next file could notice what this one did. */
async function deleteRows({ server, listFilledTables }: SharedServer): Promise<void> {
  const { clock, logLines, services } = server
  const db = findPatientDatabase(server)
  clock.reset()
  logLines.length = 0
  await syncRateCounts(services.db, services.counter)
  const filledTables = await listFilledTables()
  const leftTables = filledTables.filter((name) => cachedTables.includes(name))
  if (leftTables.length === 0) {
    await db.query('delete from users')
    // The ids of deleted websites, whose traffic a background job would delete.
    await db.query('delete from removed_websites')
    leftTables.push(...(await listFilledTables()))
  }
  if (leftTables.length > 0)
    throw new Error(`This file can't share its server, because it leaves rows in ${leftTables.join()}.`)
}

async function stopSharedServer(lentServer: SharedServer): Promise<void> {
  clearTimeout(lentServer.idleTimer)
  if (sharedServer === lentServer) sharedServer = undefined
  await lentServer.server.close()
}
