/** A whole server whose processes are killed, stopped or started twice. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import {
  belfryProcess,
  call,
  createTempFolder,
  type ServerProcess,
  startServerProcess,
  type TempFolder,
} from '../cli/support.ts'
import { parseSessionCookie } from '../support/client.ts'
import { createMigratedDataFolder } from '../support/data-folder.ts'
import { isFaultsRun } from '../support/faults-run.ts'
import { kill, waitUntil } from './support.ts'

const adminEnv = { BELFRY_ADMIN_EMAIL: 'ada@example.com', BELFRY_ADMIN_PASSWORD: 'correct horse battery' }

let folder: TempFolder
let env: Record<string, string>
/** The data folder of another server on the same machine. The two servers share only the port. */
let otherDataDir: string
let server: ServerProcess | undefined

beforeAll(async () => {
  folder = createTempFolder()
  const dataDir = folder.data('data')
  env = { ...adminEnv, BELFRY_DATA: dataDir }
  otherDataDir = folder.data('other')
  await createMigratedDataFolder(dataDir)
  await createMigratedDataFolder(otherDataDir)
})
afterAll(async () => {
  await server?.stop()
  await folder.remove()
})

/** Returns the server of an earlier test if it still runs, because a start takes long; otherwise starts one. */
async function getServer(): Promise<ServerProcess> {
  if (server === undefined || server.hasEnded()) server = await startServerProcess(env)
  const usedServer = server
  // The next test must not meet a server that this test has damaged.
  onTestFailed(() => kill(usedServer))
  return usedServer
}

async function signIn(url: string): Promise<string> {
  const json = { email: adminEnv.BELFRY_ADMIN_EMAIL, password: adminEnv.BELFRY_ADMIN_PASSWORD }
  return parseSessionCookie(await call(url, '/api/session', { json })) ?? ''
}

/** Sessions are stored in the database, so a cookie stays valid when the server restarts. */
let cookie: string | undefined

async function createKey({ url }: ServerProcess): Promise<string> {
  cookie ??= await signIn(url)
  const createResponse = await call(url, '/api/keys', { cookie, json: { name: 'x', scopes: ['monitors:read'] } })
  expect(createResponse.status).toBe(201)
  return createResponse.body.data.key
}

const listDatabaseProcesses = () => findProcessesIn(layoutOf(env['BELFRY_DATA'] ?? '').cluster)

const findPostmasterPid = async () => Math.min(...(await listDatabaseProcesses()))

/** Waits up to 20 s until PostgreSQL has restarted and the server responds with 200. Every other response must be 503. */
async function waitForRecovery({ url, output }: ServerProcess, key: string): Promise<void> {
  const isRecovered = async () => {
    // Processes of the killed PostgreSQL may still respond for a moment.
    const isRestarted = output().includes('PostgreSQL is running again')
    const { status, body } = await call(url, '/api/keys', { key })
    if (status !== 200) expect([status, body.code]).toEqual([503, 'unavailable'])
    return isRestarted && status === 200
  }
  await waitUntil('the server has recovered', isRecovered, 20_000)
}

describe('after kill -9', () => {
  it('of PostgreSQL, the running server recovers automatically', async () => {
    const server = await getServer()
    const key = await createKey(server)
    process.kill(await findPostmasterPid(), 'SIGKILL')
    await waitForRecovery(server, key)
    expect((await call(server.url, '/readyz')).status).toBe(200)
  })

  const victims = ['Belfry and PostgreSQL', 'Belfry'] as const
  // Only `npm run faults` kills Belfry alone. tests/faults/embedded-kill.test.ts tests that its PostgreSQL then stops.
  it.each(isFaultsRun ? victims : victims.slice(0, 1))(
    'of %s, everything acknowledged is stored after the next start',
    async (victim) => {
      const firstServer = await getServer()
      const key = await createKey(firstServer)
      const postmasterPid = await findPostmasterPid()
      process.kill(firstServer.pid, 'SIGKILL')
      if (victim !== 'Belfry') process.kill(postmasterPid, 'SIGKILL')
      await firstServer.ended
      const secondServer = await getServer()
      expect((await call(secondServer.url, '/api/keys', { key })).status).toBe(200)
    },
  )
})

describe('a second server', () => {
  it('on the same folder fails quickly with a clear error, and does not disturb the first server', async () => {
    const firstServer = await getServer()
    const key = await createKey(firstServer)
    const startedAt = Date.now()
    const secondResult = await belfryProcess('serve', { env })
    expect(secondResult.code).toBe(1)
    expect(secondResult.stderr).toMatch(/already|in use|another/i)
    expect(secondResult.stderr).not.toMatch(/^\s+at /m)
    expect(Date.now() - startedAt).toBeLessThan(10_000)
    expect((await call(firstServer.url, '/api/keys', { key })).status).toBe(200)
  })

  it('on the same port fails with a clear error and leaves no database running', async () => {
    const firstServer = await getServer()
    const otherEnv = { ...env, BELFRY_DATA: otherDataDir, PORT: new URL(firstServer.url).port }
    const secondResult = await belfryProcess('serve', { env: otherEnv })
    expect(secondResult.code).toBe(1)
    expect(secondResult.stderr).toContain(`Port ${otherEnv.PORT} on 127.0.0.1 is already in use.`)
    expect(await findProcessesIn(layoutOf(otherDataDir).cluster)).toEqual([])
  })
})

describe('stopping the server', () => {
  it('by SIGINT completes the running request, stops PostgreSQL and exits with code 0', async () => {
    await expectCleanStop(await getServer(), 'SIGINT')
  })

  it('by SIGTERM also stops PostgreSQL and exits with code 0, without waiting for a request that never ends', async () => {
    const server = await getServer()
    const socket = await openSocket(server)
    socket.on('error', () => {})
    socket.write(
      'POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    )
    await expectCleanStop(server, 'SIGTERM')
  })

  // This test reads no output after the start message. Output that nobody reads must not delay the stop.
  it('works through npm, which forwards signals', async () => {
    await server?.stop()
    const child = spawn('npm', ['start'], {
      cwd: resolve(import.meta.dirname, '../..'),
      env: { ...process.env, ...env, PORT: '0' },
      stdio: 'pipe',
    })
    await waitForOutput(child, 'Press Ctrl-C to stop')
    const childExit = once(child, 'exit')
    child.kill('SIGTERM')
    await childExit
    await waitUntil('PostgreSQL has ended', async () => (await listDatabaseProcesses()).length === 0, 10_000)
  })
})

async function openSocket({ url }: ServerProcess): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** Sends half of a request before the signal, and the rest after it. */
async function expectCleanStop(server: ServerProcess, signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
  const socket = await openSocket(server)
  const body = 'email=nobody%40example.com&password=whatever'
  const requestHead = `POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n`
  socket.write(requestHead + body.slice(0, 5))
  let response = ''
  socket.on('data', (chunk) => {
    response += chunk
  })
  // A response to a later request proves that the server has received the first half.
  await call(server.url, '/healthz')
  const startedAt = Date.now()
  process.kill(server.pid, signal)
  await waitUntilRefused(Number(new URL(server.url).port))
  // A second signal changes nothing.
  process.kill(server.pid, signal)
  socket.write(body.slice(5))
  await once(socket, 'close')
  expect(response).toContain('HTTP/1.1 401')
  expect(await server.ended).toBe(0)
  expect(Date.now() - startedAt).toBeLessThan(10_000)
  expect(await listDatabaseProcesses()).toEqual([])
}

/** Waits up to 10 s until the port refuses connections. */
async function waitUntilRefused(port: number): Promise<void> {
  const deadline = Date.now() + 10_000
  while (Date.now() < deadline) {
    const socket = connect(port, '127.0.0.1')
    const isRefused = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(false))
      socket.once('error', () => resolve(true))
    })
    socket.destroy()
    if (isRefused) return
    await delay(10)
  }
  throw new Error('the server still listens')
}

async function waitForOutput(child: ChildProcess, text: string): Promise<void> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += chunk
    if (output.includes(text)) return
  }
  throw new Error(`the output does not contain ${text}: ${output}`)
}
