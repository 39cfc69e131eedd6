/** A whole server whose processes are killed, stopped or started twice. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import {
  belfryProcess,
  call,
  copyDataFolder,
  createTempFolder,
  type ServerProcess,
  startServerProcess,
  type TempFolder,
} from '../cli/support.ts'

const adminEnv = { BELFRY_ADMIN_EMAIL: 'ada@example.com', BELFRY_ADMIN_PASSWORD: 'correct horse battery' }

let originalFolder: TempFolder
/** The data folder of a server that was started and stopped once. Tests work on copies of it. */
let originalDataDir: string
let folder: TempFolder
let env: Record<string, string>
let servers: ServerProcess[]

beforeAll(async () => {
  originalFolder = createTempFolder()
  originalDataDir = originalFolder.data('data')
  const server = await startServerProcess({ ...adminEnv, BELFRY_DATA: originalDataDir })
  await server.stop()
})
afterAll(() => originalFolder.remove())

beforeEach(() => {
  folder = createTempFolder()
  const data = folder.data('data')
  copyDataFolder(originalDataDir, data)
  env = { ...adminEnv, BELFRY_DATA: data }
  servers = []
})
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  await folder.remove()
})

async function startServer(): Promise<ServerProcess> {
  const server = await startServerProcess(env)
  servers.push(server)
  return server
}

async function createKey({ url }: ServerProcess): Promise<string> {
  const json = { email: adminEnv.BELFRY_ADMIN_EMAIL, password: adminEnv.BELFRY_ADMIN_PASSWORD }
  const signInResponse = await call(url, '/api/session', { json })
  const cookie = /belfry_session=([^;]*)/.exec(signInResponse.headers.get('set-cookie') ?? '')?.[1] ?? ''
  const created = await call(url, '/api/keys', { cookie, json: { name: 'x', scopes: ['monitors:read'] } })
  expect(created.status).toBe(201)
  return created.body.data.key
}

const findPostmasterPid = async () => {
  const pids = await findProcessesIn(layoutOf(env['BELFRY_DATA'] ?? '').cluster)
  return Math.min(...pids)
}

const countDatabaseProcesses = async () => (await findProcessesIn(layoutOf(env['BELFRY_DATA'] ?? '').cluster)).length

/** Waits up to 20 s for a 200 response. Every other response must be 503. */
async function waitForRecovery(url: string, key: string): Promise<void> {
  const end = Date.now() + 20_000
  for (;;) {
    const { status, body } = await call(url, '/api/keys', { key })
    if (status === 200) return
    expect([status, body.code]).toEqual([503, 'unavailable'])
    if (Date.now() > end) throw new Error('the server did not recover')
  }
}

describe('after kill -9', () => {
  it('of Belfry, everything acknowledged is there after the next start', async () => {
    const first = await startServer()
    const key = await createKey(first)
    process.kill(first.pid, 'SIGKILL')
    await first.ended
    const second = await startServer()
    expect((await call(second.url, '/api/keys', { key })).status).toBe(200)
  })

  it('of PostgreSQL, the running server recovers automatically', async () => {
    const server = await startServer()
    const key = await createKey(server)
    process.kill(await findPostmasterPid(), 'SIGKILL')
    await waitForRecovery(server.url, key)
    expect((await call(server.url, '/readyz')).status).toBe(200)
  })

  it('of both, everything acknowledged is there after the next start', async () => {
    const first = await startServer()
    const key = await createKey(first)
    const postmasterPid = await findPostmasterPid()
    process.kill(first.pid, 'SIGKILL')
    process.kill(postmasterPid, 'SIGKILL')
    await first.ended
    const second = await startServer()
    expect((await call(second.url, '/api/keys', { key })).status).toBe(200)
  })
})

describe('a second server', () => {
  it('on the same folder fails quickly with a clear error, and does not disturb the first server', async () => {
    const first = await startServer()
    const key = await createKey(first)
    const startedAt = Date.now()
    const secondResult = await belfryProcess('serve', { env })
    expect(secondResult.code).toBe(1)
    expect(secondResult.stderr).toMatch(/already|in use|another/i)
    expect(secondResult.stderr).not.toMatch(/^\s+at /m)
    expect(Date.now() - startedAt).toBeLessThan(10_000)
    expect((await call(first.url, '/api/keys', { key })).status).toBe(200)
  })

  it('on the same port fails with a clear error and leaves no database running', async () => {
    const first = await startServer()
    const otherEnv = { ...env, BELFRY_DATA: folder.data('other'), PORT: new URL(first.url).port }
    copyDataFolder(originalDataDir, otherEnv.BELFRY_DATA)
    const secondResult = await belfryProcess('serve', { env: otherEnv })
    expect(secondResult.code).toBe(1)
    expect(secondResult.stderr).toContain(`Port ${otherEnv.PORT} on 127.0.0.1 is already in use.`)
    expect(await findProcessesIn(layoutOf(otherEnv.BELFRY_DATA).cluster)).toEqual([])
  })
})

describe('stopping the server', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s completes the running request, stops PostgreSQL and exits with code 0',
    async (signal) => {
      const server = await startServer()
      const { hostname, port } = new URL(server.url)
      // Half of a request is sent before the signal, and the rest after it.
      const body = 'email=nobody%40example.com&password=whatever'
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      const requestHead = `POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n`
      socket.write(requestHead + body.slice(0, 5))
      let response = ''
      socket.on('data', (chunk) => {
        response += chunk
      })
      // A response to a later request proves that the server has received the first half.
      await call(server.url, '/healthz')
      process.kill(server.pid, signal)
      await waitUntilRefused(Number(port))
      // A second signal changes nothing.
      process.kill(server.pid, signal)
      socket.write(body.slice(5))
      await once(socket, 'close')
      expect(response).toContain('HTTP/1.1 401')
      expect(await server.ended).toBe(0)
      expect(await countDatabaseProcesses()).toBe(0)
    },
  )

  it('does not wait for a request that never ends', async () => {
    const server = await startServer()
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => {})
    socket.write(
      'POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    )
    await call(server.url, '/healthz')
    const startedAt = Date.now()
    process.kill(server.pid, 'SIGTERM')
    expect(await server.ended).toBe(0)
    expect(Date.now() - startedAt).toBeLessThan(10_000)
    expect(await countDatabaseProcesses()).toBe(0)
  })

  // This test stops reading the output after the start message, because output that nobody reads must not delay the stop.
  it('works through npm, which forwards signals', async () => {
    const child = spawn('npm', ['start'], {
      cwd: resolve(import.meta.dirname, '../..'),
      env: { ...process.env, ...env, PORT: '0' },
      stdio: 'pipe',
    })
    await waitForOutput(child, 'Press Ctrl-C to stop')
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
    await waitUntilNone(countDatabaseProcesses)
  })
})

/** Waits up to 10 s until the port refuses connections. */
async function waitUntilRefused(port: number): Promise<void> {
  const end = Date.now() + 10_000
  while (Date.now() < end) {
    const socket = connect(port, '127.0.0.1')
    const isRefused = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(false))
      socket.once('error', () => resolve(true))
    })
    socket.destroy()
    if (isRefused) return
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

async function waitUntilNone(count: () => Promise<number>): Promise<void> {
  const end = Date.now() + 10_000
  while ((await count()) > 0) if (Date.now() > end) throw new Error('processes are still running')
}
