/** Several Belfry processes on one database. Tests can kill them and query what they have stored. */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import {
  call,
  createTempFolder,
  type ServerProcess,
  startServerProcess,
  type TempFolder,
  toConnectionUrl,
} from '../cli/support.ts'
import { parseSessionCookie } from '../support/client.ts'
import { isFaultsRun } from '../support/faults-run.ts'

const adminEnv = { BELFRY_ADMIN_EMAIL: 'ada@example.com', BELFRY_ADMIN_PASSWORD: 'correct horse battery' }

/** A node with these roles starts in two thirds of the processor time that a node with all roles needs. `npm run faults` starts all roles. */
export const BACKGROUND_ROLES = isFaultsRun ? 'web,checker,worker' : 'checker,worker'

export interface Belfry {
  folder: TempFolder
  start(env?: Record<string, string>): Promise<ServerProcess>
  /** Signs in as the administrator, once, and returns the session cookie. */
  getCookie(): Promise<string>
  /** Creates a resource through the API and returns its id. */
  createResource(path: `/api/${string}`, fields: object): Promise<number>
  /** The query sees the rows of all users. Cast bigint columns (`id::float8`), which are strings otherwise. */
  query<R extends object>(sql: string, values?: unknown[]): Promise<R[]>
  /** Kills all nodes that still run. */
  close(): Promise<void>
}

/** Prepares to start nodes that use an existing database. */
export function createBelfry(connection: pg.ClientConfig): Belfry {
  const folder = createTempFolder()
  const startedNodes: Promise<ServerProcess>[] = []
  /** The nodes that serve the API. */
  const webNodes: Promise<ServerProcess>[] = []
  let isClosed = false
  let cookie: Promise<string> | undefined
  let client: Promise<pg.Client> | undefined

  async function signIn(url: string): Promise<string> {
    const json = { email: adminEnv.BELFRY_ADMIN_EMAIL, password: adminEnv.BELFRY_ADMIN_PASSWORD }
    return parseSessionCookie(await call(url, '/api/session', { json })) ?? ''
  }

  async function getCookie(): Promise<string> {
    const { url } = (await webNodes.at(-1)) as ServerProcess
    cookie ??= signIn(url)
    return cookie
  }

  async function connect(): Promise<pg.Client> {
    const newClient = new pg.Client({ ...connection, connectionTimeoutMillis: 20_000, query_timeout: 20_000 })
    // A test may stop the database. The next query then opens a new connection.
    newClient.on('error', () => {
      client = undefined
    })
    await newClient.connect()
    await newClient.query(`set search_path = belfry; set belfry.across_users = 'on'`)
    return newClient
  }

  return {
    folder,
    getCookie,
    async start(env = {}) {
      if (isClosed) throw new Error('the test has ended')
      const node = startServerProcess({
        ...adminEnv,
        DATABASE_URL: toConnectionUrl(connection),
        BELFRY_DATA: folder.data('data'),
        BELFRY_SECRET: 'a secret that is only good for tests',
        BELFRY_PRIVATE_TARGETS: 'allow',
        ...env,
      })
      startedNodes.push(node)
      if (env['BELFRY_ROLES']?.includes('web') ?? true) webNodes.push(node)
      return node
    },
    async createResource(path, fields) {
      const { url } = (await webNodes.at(-1)) as ServerProcess
      const { status, body } = await call(url, path, { cookie: await getCookie(), json: fields })
      if (status !== 201) throw new Error(`not created: ${status} ${JSON.stringify(body)}`)
      return body.data.id
    },
    async query<R extends object>(sql: string, values: unknown[] = []): Promise<R[]> {
      client ??= connect()
      return (await (await client).query(sql, values)).rows as R[]
    },
    async close() {
      isClosed = true
      for (const result of await Promise.allSettled(startedNodes)) {
        if (result.status === 'fulfilled') await kill(result.value)
      }
      await (await client?.catch(() => undefined))?.end()
      await folder.remove()
    },
  }
}

export async function kill({ pid, ended, hasEnded }: ServerProcess): Promise<void> {
  if (!hasEnded()) process.kill(pid, 'SIGKILL')
  await ended
}

/** Most conditions are queries. More frequent polls would only use more of the processor, which other tests share. */
const POLL_INTERVAL_MS = 150

/** Polls until the condition is true. `condition` describes it in the error message. */
export async function waitUntil(
  condition: string,
  isTrue: () => Promise<boolean> | boolean,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isTrue())) {
    if (performance.now() > deadline)
      throw new Error(`timed out after ${timeoutMs / 1000} s waiting until ${condition}`)
    await delay(POLL_INTERVAL_MS)
  }
}
