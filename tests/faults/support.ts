/** Belfry on several nodes: real processes on one database, that can be killed, and what they wrote. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { call, type TempFolder, createTempFolder, type ServerProcess, serve, urlOf } from '../cli/support.ts'

const account = { BELFRY_ADMIN_EMAIL: 'ada@example.com', BELFRY_ADMIN_PASSWORD: 'correct horse battery' }

export interface Belfry {
  folder: TempFolder
  start(env?: Record<string, string>): Promise<ServerProcess>
  /** Answers with its id. */
  createResource(path: '/api/monitors' | '/api/providers' | '/api/v1/websites', fields: object): Promise<number>
  /** Across users. Numbers have to be asked for as such: `id::float8`. */
  query<R extends object>(sql: string, values?: unknown[]): Promise<R[]>
  /** Whatever state it is in. */
  close(): Promise<void>
}

/** `connection`: to a database that is there already. */
export function installBelfry(connection: pg.ClientConfig): Belfry {
  const folder = createTempFolder()
  const started: Promise<ServerProcess>[] = []
  let isClosed = false
  let cookie: string | undefined
  let client: Promise<pg.Client> | undefined

  async function signIn(url: string): Promise<string> {
    const json = { email: account.BELFRY_ADMIN_EMAIL, password: account.BELFRY_ADMIN_PASSWORD }
    const { headers } = await call(url, '/api/session', { json })
    return /belfry_session=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? ''
  }

  async function connect(): Promise<pg.Client> {
    const opened = new pg.Client({ ...connection, connectionTimeoutMillis: 20_000, query_timeout: 20_000 })
    // The database may be stopped under it: whoever asks next gets another.
    opened.on('error', () => {
      client = undefined
    })
    await opened.connect()
    await opened.query(`set search_path = belfry; set belfry.across_users = 'on'`)
    return opened
  }

  return {
    folder,
    async start(env = {}) {
      if (isClosed) throw new Error('the test is over')
      const node = serve({
        ...account,
        DATABASE_URL: urlOf(connection),
        BELFRY_DATA: folder.data('data'),
        BELFRY_SECRET: 'a secret that is only good for tests',
        BELFRY_PRIVATE_TARGETS: 'allow',
        ...env,
      })
      started.push(node)
      return node
    },
    async createResource(path, fields) {
      const { url } = (await started.at(-1)) as ServerProcess
      cookie ??= await signIn(url)
      const { status, body } = await call(url, path, { cookie, json: fields })
      if (status !== 201) throw new Error(`not made: ${status} ${JSON.stringify(body)}`)
      return body.data.id
    },
    async query<R extends object>(sql: string, values: unknown[] = []): Promise<R[]> {
      client ??= connect()
      return (await (await client).query(sql, values)).rows as R[]
    },
    async close() {
      isClosed = true
      for (const result of await Promise.allSettled(started)) {
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

/** Asks again and again. `what` has not come true is what it fails with. */
export async function waitUntil(what: string, isTrue: () => Promise<boolean> | boolean, mostMs = 30_000): Promise<void> {
  const end = performance.now() + mostMs
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`within ${mostMs / 1000} s it never happened that ${what}`)
    await pause(50)
  }
}
