/** What happens to a whole server when something of it is killed, stopped or started twice. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import { belfryProcess, call, createTempFolder, type ServerProcess, serve, type TempFolder } from '../cli/support.ts'

const account = { BELFRY_ADMIN_EMAIL: 'ada@example.com', BELFRY_ADMIN_PASSWORD: 'correct horse battery' }

let folder: TempFolder
let env: Record<string, string>
let running: ServerProcess[]

beforeEach(() => {
  folder = createTempFolder()
  env = { ...account, BELFRY_DATA: folder.data('data') }
  running = []
})
afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()))
  await folder.remove()
})

async function run(): Promise<ServerProcess> {
  const server = await serve(env)
  running.push(server)
  return server
}

async function makeKey({ url }: ServerProcess): Promise<string> {
  const json = { email: account.BELFRY_ADMIN_EMAIL, password: account.BELFRY_ADMIN_PASSWORD }
  const signedIn = await call(url, '/api/session', { json })
  const cookie = /belfry_session=([^;]*)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1] ?? ''
  const made = await call(url, '/api/keys', { cookie, json: { name: 'x', scopes: ['monitors:read'] } })
  expect(made.status).toBe(201)
  return made.body.data.key
}

const postmaster = async () => {
  const pids = await findProcessesIn(layoutOf(env['BELFRY_DATA'] ?? '').cluster)
  return Math.min(...pids)
}

const databaseProcesses = async () => (await findProcessesIn(layoutOf(env['BELFRY_DATA'] ?? '').cluster)).length

/** Asks until the answer is 200, for at most 20 s; every other answer must be an honest 503. */
async function untilAnswered(url: string, key: string): Promise<void> {
  const end = Date.now() + 20_000
  for (;;) {
    const { status, body } = await call(url, '/api/keys', { key })
    if (status === 200) return
    expect([status, body.code]).toEqual([503, 'unavailable'])
    if (Date.now() > end) throw new Error('the server did not recover')
  }
}

describe('after kill -9', () => {
  it('of Belfry, the next start has everything that was acknowledged', async () => {
    const first = await run()
    const key = await makeKey(first)
    process.kill(first.pid, 'SIGKILL')
    await first.ended
    const second = await run()
    expect((await call(second.url, '/api/keys', { key })).status).toBe(200)
  })

  it('of PostgreSQL, the running server recovers by itself', async () => {
    const server = await run()
    const key = await makeKey(server)
    process.kill(await postmaster(), 'SIGKILL')
    await untilAnswered(server.url, key)
    expect((await call(server.url, '/readyz')).status).toBe(200)
  })

  it('of both, the next start has everything that was acknowledged', async () => {
    const first = await run()
    const key = await makeKey(first)
    const database = await postmaster()
    process.kill(first.pid, 'SIGKILL')
    process.kill(database, 'SIGKILL')
    await first.ended
    const second = await run()
    expect((await call(second.url, '/api/keys', { key })).status).toBe(200)
  })
})

describe('a second server', () => {
  it('on the same folder gets a clear error at once, and does not disturb the first', async () => {
    const first = await run()
    const key = await makeKey(first)
    const started = Date.now()
    const second = await belfryProcess('serve', { env })
    expect(second.code).toBe(1)
    expect(second.stderr).toMatch(/already|in use|another/i)
    expect(second.stderr).not.toMatch(/^\s+at /m)
    expect(Date.now() - started).toBeLessThan(10_000)
    expect((await call(first.url, '/api/keys', { key })).status).toBe(200)
  })

  it('on the same port gets a clear error and leaves no database running', async () => {
    const first = await run()
    const other = { ...env, BELFRY_DATA: folder.data('other'), PORT: new URL(first.url).port }
    const second = await belfryProcess('serve', { env: other })
    expect(second.code).toBe(1)
    expect(second.stderr).toContain(`Port ${other.PORT} on 127.0.0.1 is already in use.`)
    expect(await findProcessesIn(layoutOf(other.BELFRY_DATA).cluster)).toEqual([])
  })
})

describe('a stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s finishes the request under way, then PostgreSQL, and ends with 0',
    async (signal) => {
      const server = await run()
      const { hostname, port } = new URL(server.url)
      // Half a request is under way when the signal comes; the rest follows a little later.
      const body = 'email=nobody%40example.com&password=whatever'
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      const head = `POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n`
      socket.write(head + body.slice(0, 5))
      let answer = ''
      socket.on('data', (chunk) => {
        answer += chunk
      })
      // The server has seen it as soon as it answers something that came later.
      await call(server.url, '/healthz')
      process.kill(server.pid, signal)
      await untilRefused(Number(port))
      // A second signal changes nothing.
      process.kill(server.pid, signal)
      socket.write(body.slice(5))
      await once(socket, 'close')
      expect(answer).toContain('HTTP/1.1 401')
      expect(await server.ended).toBe(0)
      expect(await databaseProcesses()).toBe(0)
    },
  )

  it('does not wait for ever for a request that never ends', async () => {
    const server = await run()
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => {})
    socket.write(
      'POST /api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    )
    await call(server.url, '/healthz')
    const started = Date.now()
    process.kill(server.pid, 'SIGTERM')
    expect(await server.ended).toBe(0)
    expect(Date.now() - started).toBeLessThan(10_000)
    expect(await databaseProcesses()).toBe(0)
  })

  // Whoever reads the output leaves after the greeting: a log that cannot be written must not hold the server up either.
  it('reaches the server through npm, which passes signals on', async () => {
    const child = spawn('npm', ['start'], {
      cwd: resolve(import.meta.dirname, '../..'),
      env: { ...process.env, ...env, PORT: '0' },
      stdio: 'pipe',
    })
    await untilSaid(child, 'Press Ctrl-C to stop')
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
    await untilNone(databaseProcesses)
  })
})

/** Waits until nothing new is taken on a port, for at most 10 s. */
async function untilRefused(port: number): Promise<void> {
  const end = Date.now() + 10_000
  while (Date.now() < end) {
    const socket = connect(port, '127.0.0.1')
    const refused = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(false))
      socket.once('error', () => resolve(true))
    })
    socket.destroy()
    if (refused) return
  }
  throw new Error('the server went on listening')
}

async function untilSaid(child: ChildProcess, words: string): Promise<void> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += chunk
    if (output.includes(words)) return
  }
  throw new Error(`never said ${words}: ${output}`)
}

async function untilNone(count: () => Promise<number>): Promise<void> {
  const end = Date.now() + 10_000
  while ((await count()) > 0) if (Date.now() > end) throw new Error('something is left')
}
