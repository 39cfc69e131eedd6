/** A start either succeeds, or ends the process with a message. It never leaves a process that neither serves nor stops. */
import type { ChildProcess } from 'node:child_process'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { withOwnerConnection } from '../../src/storage/open-database.ts'
import {
  type CliResult,
  call,
  belfry as runCommand,
  startCommand,
  toConnectionUrl,
  waitForResult,
} from '../cli/support.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { findFreePort } from '../support/free-port.ts'
import { type PostgresCluster, startPostgresCluster } from '../support/postgres-cluster.ts'
import { type Belfry, createBelfry, waitUntil } from './support.ts'

const SECRET = 'a secret that is only good for tests'
/** The limit for stopping a server, including one that is still starting. */
const MAX_STOP_MS = 10_000

/** A server process whose start may fail. */
interface StartingServer {
  child: ChildProcess
  result: Promise<CliResult>
  output(): string
}

let processes: StartingServer[] = []

afterEach(async () => {
  for (const { child, result } of processes) {
    child.kill('SIGKILL')
    await result
  }
  processes = []
})

function start(env: Record<string, string>): StartingServer {
  const child = startCommand(['serve'], { env: { BELFRY_SECRET: SECRET, ...env } })
  let output = ''
  child.stdout?.on('data', (text) => (output += text))
  child.stderr?.on('data', (text) => (output += text))
  const server = { child, result: waitForResult(child), output: () => output }
  processes.push(server)
  return server
}

async function terminate({ child, result }: StartingServer): Promise<CliResult> {
  const startedAt = performance.now()
  child.kill('SIGTERM')
  const cliResult = await result
  expect(performance.now() - startedAt).toBeLessThan(MAX_STOP_MS)
  return cliResult
}

const expectNoStackTrace = ({ stderr }: CliResult) => expect(stderr).not.toMatch(/^\s+at /m)

async function openSession({ connection }: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('set search_path = belfry')
  return client
}

describe('while another session locks a table', () => {
  let database: TestDatabase
  let belfry: Belfry

  beforeAll(async () => {
    database = await createTestDatabase()
    belfry = createBelfry(database.connection)
  })
  afterAll(async () => {
    await belfry.close()
    await database.drop()
  })

  it('a server is not ready before its start has finished, and starts and stops while the event inbox is locked', async () => {
    const inboxSession = await openSession(database)
    await inboxSession.query('begin; lock table event_inbox in access exclusive mode')
    // The start waits for the job that schedules weekly reports, and this lock blocks that job.
    const reportsSession = await openSession(database)
    await reportsSession.query('begin; lock table weekly_reports in access exclusive mode')
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const pendingStart = belfry.start({ PORT: String(port) })
    await waitUntil('the port is open', () => isListening(url))
    expect(await call(url, '/readyz')).toMatchObject({ status: 503, body: { detail: 'The server is starting.' } })
    await reportsSession.query('rollback')
    const node = await pendingStart
    expect((await call(url, '/readyz')).status).toBe(200)
    const startedAt = performance.now()
    await node.stop()
    expect(performance.now() - startedAt).toBeLessThan(MAX_STOP_MS)
    expect(await node.ended).toBe(0)
  })

  it('a start whose migration waits for the table ends on SIGTERM', async () => {
    await withOwnerConnection(database.connection, async (client) => {
      await client.query(`update migrations set checksum = 'older' where version = 0; drop policy read on alerts`)
    })
    const session = await openSession(database)
    await session.query('begin; select from alerts')
    const env = { DATABASE_URL: toConnectionUrl(database.connection), BELFRY_DATA: belfry.folder.data('waiting') }
    const server = start(env)
    await waitUntil('the migration waits', () => server.output().includes('the migration waits for transactions'))
    const result = await terminate(server)
    expect(result.code).toBe(0)
    expectNoStackTrace(result)
  })
})

describe('when PostgreSQL', () => {
  let cluster: PostgresCluster
  let env: Record<string, string>

  beforeAll(async () => {
    cluster = await startPostgresCluster()
    const { port, user, password, database } = cluster.primary.connection
    env = {
      DATABASE_URL: `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
      BELFRY_DATA: cluster.folder,
    }
  })
  afterAll(() => cluster.close())

  it('dies during the start, the server still runs and can be stopped, or has ended with a message', async () => {
    await cluster.primary.lockTable('event_inbox')
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const server = start({ ...env, PORT: String(port) })
    await waitUntil('the port is open', () => isListening(url))
    await cluster.primary.kill()
    const isRunning = await Promise.race([server.result.then(() => false), waitForGreeting(server)])
    if (isRunning) {
      expect(await call(url, '/readyz')).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      expect((await terminate(server)).code).toBe(0)
    } else {
      const result = await server.result
      expect(result.code).toBe(1)
      expect(result.stderr).toMatch(/database/)
      expectNoStackTrace(result)
    }
  })

  it('is not up yet, the server waits for it up to BELFRY_DATABASE_WAIT seconds, and then ends with a message', async () => {
    await cluster.primary.kill()
    const impatientServer = start({ ...env, BELFRY_DATABASE_WAIT: '1' })
    const patientServer = start({ ...env, BELFRY_DATABASE_WAIT: '60' })
    const migration = runCommand('migrate', { env: { ...env, BELFRY_SECRET: SECRET, BELFRY_DATABASE_WAIT: '60' } })
    const result = await impatientServer.result
    expect(result.code).toBe(1)
    expect(result.stderr).toMatch(/^Cannot connect to the database: .*\nCheck DATABASE_URL/)
    await waitUntil('the other server waits', () => patientServer.output().includes('waiting for the database'))
    // Both server processes have found out that the database is not up. The command runs in this process, so it began
    // earlier than they did and has found out, too.
    await cluster.primary.start()
    await waitForGreeting(patientServer)
    expect(await migration).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('up to date'),
      stderr: 'Waiting up to 60 s for the database.\n',
    })
    const messages = [...patientServer.output().matchAll(/"msg":"([^"]*database[^"]*)"/g)].map((match) => match[1])
    expect(messages).toEqual(['waiting for the database', 'the database is up'])
    expect((await terminate(patientServer)).code).toBe(0)
  })
})

async function isListening(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  )
}

async function waitForGreeting(server: StartingServer): Promise<boolean> {
  await waitUntil('the server runs', () => server.output().includes('Ctrl-C to stop'), 60_000)
  return true
}
