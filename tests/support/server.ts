/** Starts a real server on its own database, and creates users who call it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSession } from '../../src/accounts/sign-in.ts'
import { createUser, prepareUser } from '../../src/accounts/users.ts'
import { type RunningServer, startServer } from '../../src/app/server.ts'
import { type Config, type Environment, readConfig } from '../../src/config/config.ts'
import { createKey } from '../../src/keys/keys.ts'
import { createLog } from '../../src/lib/log.ts'
import { type Scope, scopes } from '../../src/shared/scopes.ts'
import { Client } from './client.ts'
import { TestClock } from './clock.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { ResponseValidator } from './openapi.ts'

export const TEST_SECRET = 'a secret that is only good for tests'

export interface Person {
  id: number
  email: string
  password: string
  /** A client that is signed in as this user. */
  session: Client
  /** Returns a client with a new key that has only these scopes. */
  withKey(...scopes: Scope[]): Promise<Client & { keyId: number }>
}

export interface TestServer extends RunningServer {
  clock: TestClock
  database: TestDatabase
  /** A client without credentials. */
  anyone: Client
  /** The lines that the server logged. */
  logged: string[]
  person(name: string, options?: { isAdmin?: boolean }): Promise<Person>
  close(): Promise<void>
}

export interface TestServerOptions {
  env?: Environment
  clock?: TestClock
  /** Shared with another server to run two nodes. The test drops it. */
  database?: TestDatabase
  /** Another build of the web application than the one in `web/dist`. */
  webFolder?: string
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { clock = new TestClock() } = options
  const database = options.database ?? (await createTestDatabase())
  const folder = await mkdtemp(join(tmpdir(), 'belfry-server-'))
  const config: Config = readConfig({
    PORT: '0',
    BELFRY_DATA: folder,
    BELFRY_SECRET: TEST_SECRET,
    BELFRY_RATE_LIMIT: '0',
    // A checker would run checks that the test does not expect.
    BELFRY_ROLES: 'web',
    ...options.env,
  })
  const logged: string[] = []
  const log = createLog('debug', { write: (line: string) => void logged.push(line) })
  const { webFolder } = options
  const server = await startServer(config, {
    log,
    clock,
    database: database.place,
    ...(webFolder !== undefined && { webFolder }),
  })
  const anyone = new Client(server.address, await loadAnswerCheck(server.address, config))
  return {
    ...server,
    clock,
    database,
    anyone,
    logged,
    person: (name, { isAdmin = false } = {}) => makePerson(server, anyone, clock, name, isAdmin),
    close: async () => {
      await server.stop()
      if (options.database === undefined) await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Which paths a server describes depends on its roles alone, and compiling their schemas takes a while. */
const answerChecks = new Map<string, Promise<ResponseValidator>>()

function loadAnswerCheck(address: string, { roles }: Config): Promise<ResponseValidator> {
  const key = [...roles].sort().join()
  const load = async () => new ResponseValidator((await (await fetch(`${address}/api/openapi.json`)).json()) as never)
  const check = answerChecks.get(key) ?? load()
  answerChecks.set(key, check)
  return check
}

/** Hashing is slow by design, and no test needs users with different passwords. */
const password = 'correct horse battery'
let prepared: ReturnType<typeof prepareUser> | undefined

async function makePerson(
  { services: { db } }: RunningServer,
  anyone: Client,
  clock: TestClock,
  name: string,
  isAdmin: boolean,
): Promise<Person> {
  prepared ??= prepareUser({ email: '', password, isAdmin: false })
  const email = `${name}@example.com`
  const user = { ...(await prepared), email, isAdmin }
  const { id } = await db.transaction((q) => createUser(q, user, clock))
  const session = anyone.as({ cookie: await startSession(db, id, clock) })
  return {
    id,
    email,
    password,
    session,
    async withKey(...wanted) {
      const by = { kind: 'session' as const, userId: id, keyId: null, scopes }
      const input = { name: wanted.join(' ') || 'all', scopes: wanted.length > 0 ? wanted : [...scopes] }
      const { id: keyId, key } = await db.transaction((q) => createKey(q, by, input, clock))
      return Object.assign(anyone.as({ key }), { keyId })
    },
  }
}
