/** A real server on a database of its own, and the cast that acts in its tests. */
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
import { AnswerCheck } from './openapi.ts'

export const TEST_SECRET = 'a secret that is only good for tests'

export interface Person {
  id: number
  email: string
  password: string
  /** Signed in. */
  session: Client
  /** A client with a new key that has just these scopes. */
  withKey(...scopes: Scope[]): Promise<Client & { keyId: number }>
}

export interface TestServer extends RunningServer {
  clock: TestClock
  database: TestDatabase
  /** Nobody in particular. */
  anyone: Client
  /** What the server logged, line by line. */
  logged: string[]
  person(name: string, options?: { isAdmin?: boolean }): Promise<Person>
  close(): Promise<void>
}

export interface TestServerOptions {
  env?: Environment
  clock?: TestClock
  /** Share one with another server: two nodes. */
  database?: TestDatabase
  /** Where its web application lies, if not where it was built for all tests. */
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
    // A checker would find things out by itself; whoever wants one asks for it.
    BELFRY_ROLES: 'web',
    ...options.env,
  })
  const logged: string[] = []
  const log = createLog('debug', { write: (line: string) => void logged.push(line) })
  const { webFolder } = options
  const server = await startServer(config, {
    log,
    clock,
    place: database.place,
    ...(webFolder !== undefined && { webFolder }),
  })
  const description = await (await fetch(`${server.address}/api/openapi.json`)).json()
  const anyone = new Client(server.address, new AnswerCheck(description as never))
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

/** Hashing is slow on purpose, and no test here needs two different passwords. */
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
