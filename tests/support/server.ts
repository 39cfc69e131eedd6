/** Starts a real server on its own database, and creates users who call it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSession } from '../../src/accounts/sign-in.ts'
import { createUser } from '../../src/accounts/users.ts'
import { type RunningServer, startServer } from '../../src/app/server.ts'
import { type Config, type Environment, readConfig } from '../../src/config/config.ts'
import { createKey } from '../../src/keys/keys.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import type { ResolveTxt } from '../../src/outgoing/resolver.ts'
import { MAX_KEY_NAME_LENGTH } from '../../src/shared/limits.ts'
import { type Scope, scopes } from '../../src/shared/scopes.ts'
import type { FetchHomePage } from '../../src/websites/verify/fetch-home-page.ts'
import { hashCheaply } from './cheap-hash.ts'
import { Client } from './client.ts'
import { TestClock } from './clock.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { ResponseValidator } from './response-validator.ts'

export const TEST_SECRET = 'a secret that is only good for tests'

export interface TestUser {
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
  logLines: string[]
  createUser(name: string, options?: { isAdmin?: boolean }): Promise<TestUser>
  close(): Promise<void>
}

export interface TestServerOptions {
  env?: Environment
  clock?: TestClock
  /**
   * Replaces the clock of the server's machine, to test servers whose clocks differ. If it is set, the server ignores `clock` and
   * gets the time from PostgreSQL, as in production.
   */
  localClock?: Clock
  /** A database that the test creates and drops itself, so that several servers can share it. */
  database?: TestDatabase
  /** Looks up the TXT records that prove who owns a custom domain. By default, no domain has a record. */
  resolveTxt?: ResolveTxt
  /** Fetches the page that a user verifies. By default, no page can be reached. */
  fetchHomePage?: FetchHomePage
  /** The folder with the build of the web application. The default is `web/dist`. */
  webFolder?: string
  /** The script that builds the web application if `webFolder` is missing. The default is `scripts/build-web.ts`. */
  webBuildScript?: string
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
    BELFRY_DRAIN_SECONDS: '0',
    // Each connection takes PostgreSQL about 20 ms, and a test sends few requests at the same time.
    BELFRY_DATABASE_POOL: '4',
    BELFRY_DATABASE_BACKGROUND_POOL: '3',
    // Tests don't contact the servers of their made-up websites.
    BELFRY_FAVICONS: 'off',
    // A checker would run checks that the test does not expect.
    BELFRY_ROLES: 'web',
    ...options.env,
  })
  const logLines: string[] = []
  const log = createLog('debug', { write: (line: string) => void logLines.push(line) })
  const { localClock, webFolder, webBuildScript } = options
  let server = await startServer(config, {
    log,
    ...(localClock === undefined ? { clock } : { localClock }),
    database: database.source,
    ...(webFolder !== undefined && { webFolder }),
    ...(webBuildScript !== undefined && { webBuildScript }),
    resolveTxt: options.resolveTxt ?? (async () => []),
    fetchHomePage: options.fetchHomePage ?? failToFetch,
  })
  const anyone = new Client(server.address, await loadResponseValidator(server.address, config))
  const testServer: TestServer = {
    ...server,
    clock,
    database,
    anyone,
    logLines,
    createUser: (name, { isAdmin = false } = {}) => createTestUser(server, anyone, name, isAdmin),
    close: async () => {
      await server.stop()
      if (options.database === undefined) await database.drop()
      await rm(folder, { recursive: true, force: true })
      // The variables of a test file stay in memory until its worker ends. Without the server in them, the garbage collector has less to do.
      server = undefined as never
      for (const name of ['services', 'stop']) Reflect.deleteProperty(testServer, name)
    },
  }
  return testServer
}

const failToFetch: FetchHomePage = async (domain) => ({
  kind: 'failure',
  url: `https://${domain}/`,
  fault: { cause: 'dns', description: 'no such host' },
})

/** The validators are cached by roles, because compiling schemas is slow and a server's OpenAPI document depends only on its roles. */
const responseValidators = new Map<string, Promise<ResponseValidator>>()

function loadResponseValidator(address: string, { roles }: Config): Promise<ResponseValidator> {
  const key = [...roles].sort().join()
  const load = async () => new ResponseValidator((await (await fetch(`${address}/api/openapi.json`)).json()) as never)
  const validator = responseValidators.get(key) ?? load()
  responseValidators.set(key, validator)
  return validator
}

/** The password of every user. */
const password = 'correct horse battery'
let passwordHash: Promise<string> | undefined

async function createTestUser(
  { services: { clock, db } }: RunningServer,
  anyone: Client,
  name: string,
  isAdmin: boolean,
): Promise<TestUser> {
  passwordHash ??= hashCheaply(password)
  const email = `${name}@example.com`
  const user = { email, passwordHash: await passwordHash, isAdmin }
  const { id } = await db.transaction((q) => createUser(q, user, clock))
  const session = anyone.as({ cookie: await startSession(db, id, clock) })
  return {
    id,
    email,
    password,
    session,
    async withKey(...keyScopes) {
      const caller = { kind: 'session' as const, teamId: id, userId: id, keyId: null, scopes }
      const input = {
        name: keyScopes.join(' ').slice(0, MAX_KEY_NAME_LENGTH) || 'all',
        scopes: keyScopes.length > 0 ? keyScopes : [...scopes],
      }
      const { id: keyId, key } = await db.transaction((q) => createKey(q, caller, input, clock))
      return Object.assign(anyone.as({ key }), { keyId })
    },
  }
}
