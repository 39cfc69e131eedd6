/** The URLs that jobs send their beats to, and the list of beats. */
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Heartbeat, type HeartbeatFixture, startHeartbeatFixture } from './support.ts'

let fixture: HeartbeatFixture
let heartbeat: Heartbeat
beforeAll(async () => {
  fixture = await startHeartbeatFixture({ env: { BELFRY_URL: 'https://example.org/belfry', BELFRY_RATE_LIMIT: '600' } })
  heartbeat = await fixture.create()
})
afterAll(() => fixture.close())

const post = (body: RequestInit['body'], headers: Record<string, string> = {}) =>
  heartbeat.beat('', { method: 'POST', body: body ?? null, headers })
const readOutput = async () => (await heartbeat.list()).meta['last_output']
const send = (method: string, path: string) => fetch(`${fixture.server.address}${path}`, { method })

describe('the URL of a heartbeat', () => {
  it('contains the address of the server and the token, and can be sent back unchanged', async () => {
    const { url } = await heartbeat.get()
    expect(url).toBe(`https://example.org/belfry/beat/${heartbeat.token}`)
    expect((await fixture.keyClient.put(`/api/monitors/${heartbeat.id}`, { url })).body.data.url).toBe(url)
  })

  it('has only a hint of the token for callers that may not change monitors, in every response', async () => {
    const reader = await fixture.owner.withKey('monitors:read', 'providers:read', 'websites:read')
    const hint = `https://example.org/belfry/beat/…${heartbeat.token.slice(-4)}`
    expect((await reader.get(`/api/monitors/${heartbeat.id}`)).body.data.url).toBe(hint)
    const listedHeartbeats: { id: number; url: string }[] = (await reader.get('/api/monitors?type=heartbeat')).body.data
    expect(listedHeartbeats.find(({ id }) => id === heartbeat.id)?.url).toBe(hint)
    const { paths } = (await fixture.server.anyone.get('/api/openapi.json')).body
    const readablePaths = Object.keys(paths).filter((path) => 'get' in paths[path] && path !== '/api/live')
    let succeededCount = 0
    for (const path of readablePaths) {
      const { status, text } = await reader.get(path.replaceAll(/\{\w+\}/g, String(heartbeat.id)))
      expect([path, text.includes(heartbeat.token)]).toEqual([path, false])
      if (status === 200) succeededCount++
    }
    expect(succeededCount).toBeGreaterThan(10)
    // A client may read the hint with one key and send it back with another. This doesn't change the URL.
    const { body } = await fixture.keyClient.put(`/api/monitors/${heartbeat.id}`, { url: hint })
    expect(body.data.url).toBe(`https://example.org/belfry/beat/${heartbeat.token}`)
  })

  it('is not stored in plain text, and is the same in a repeated request', async () => {
    const fields = { friendly_name: 'Backup', type: 'heartbeat', heartbeat: { period: 60 } }
    const create = () => fixture.keyClient.post('/api/monitors', fields, { headers: { 'idempotency-key': 'backup-1' } })
    const [firstResponse, secondResponse] = [await create(), await create()]
    expect([secondResponse.headers.get('idempotent-replayed'), secondResponse.body]).toEqual([
      'true',
      firstResponse.body,
    ])
    const token = firstResponse.body.data.url.split('/').at(-1)
    const rows = await fixture.server.services.db.query('select answer::text from idempotency_keys')
    expect(rows.filter(({ answer }) => answer.includes(token))).toEqual([])
    expect(rows).toHaveLength(1)
  })

  it('accepts GET, HEAD and POST, with and without the path prefix of BELFRY_URL', async () => {
    for (const method of ['GET', 'HEAD', 'POST']) {
      for (const prefix of ['', '/belfry']) {
        for (const path of ['', '?from=cron', '/start', '/fail', '/0', '/255']) {
          const response = await send(method, `${prefix}/beat/${heartbeat.token}${path}`)
          const text = await response.text()
          expect([method, path, response.status, text]).toEqual([method, path, 200, method === 'HEAD' ? '' : 'OK'])
          expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
          expect(response.headers.get('cache-control')).toBe('no-store')
        }
      }
    }
    expect((await heartbeat.list()).data.slice(0, 6)).toMatchObject([
      { kind: 'finish', exit_code: 255, failed: true },
      { kind: 'finish', exit_code: 0, failed: false },
      { kind: 'finish', exit_code: null, failed: true },
      { kind: 'start', exit_code: null, failed: false },
      { kind: 'alive', exit_code: null, failed: false },
      { kind: 'alive', exit_code: null, failed: false },
    ])
  })

  it('keeps the body as the last output, whatever its type', async () => {
    for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded', 'nonsense']) {
      expect((await post(`{"from": "${type}"}`, { 'content-type': type })).status).toBe(200)
      expect(await readOutput()).toBe(`{"from": "${type}"}`)
    }
    // A query string doesn't change the response, and a body without a content type is accepted.
    const options = { method: 'POST', path: `/beat/${heartbeat.token}?x=1`, headers: { 'content-length': '8' } }
    const status = await new Promise((resolve, reject) => {
      request(fixture.server.address, options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end('no type!')
    })
    expect([status, await readOutput()]).toEqual([200, 'no type!'])
    expect((await post('')).status).toBe(200)
    expect(await readOutput()).toBe('no type!')
  })

  it('is removed from the output of a job that logs its requests', async () => {
    const { token } = heartbeat
    const hint = `…${token.slice(-4)}`
    const log = (text: string) => `> POST /beat/${text}/0 HTTP/1.1\nGET https://example.org/beat/${text}`
    expect((await post(log(token))).status).toBe(200)
    expect(await readOutput()).toBe(log(hint))
    // Fastify handles URLs with escaped characters.
    const escapedToken = `%${token.charCodeAt(0).toString(16)}${token.slice(1)}`
    const options = { method: 'POST', body: `again ${log(token)}` }
    expect((await fetch(`${fixture.server.address}/beat/${escapedToken}`, options)).status).toBe(200)
    expect(await readOutput()).toBe(`again ${log(hint)}`)
    const padding = 'x'.repeat(9_960)
    expect((await post(`${padding}${token}${'y'.repeat(100)}`)).status).toBe(200)
    expect(await readOutput()).toBe(`${padding}…`)
  })

  it('cuts a long body off, and makes it valid text', async () => {
    expect((await post('ä'.repeat(2_000_000))).status).toBe(200)
    expect(await readOutput()).toBe('ä'.repeat(5_000))
    expect((await post(`x${'ä'.repeat(6_000)}`)).status).toBe(200)
    expect(await readOutput()).toBe(`x${'ä'.repeat(4_999)}`)
    expect((await post(Buffer.from([0x61, 0x00, 0xff, 0x62]))).status).toBe(200)
    expect(await readOutput()).toBe('a\uFFFDb')
  })

  it('accepts a trailing slash and signals in capitals', async () => {
    const { token } = heartbeat
    for (const path of [`${token}/`, `${token}/START`, `${token}/fail/`, `${token}/0/?x=1`]) {
      const response = await send('GET', `/beat/${path}`)
      expect([path, response.status, await response.text()]).toEqual([path, 200, 'OK'])
    }
    const beats = (await heartbeat.list()).data.slice(0, 4)
    const kinds = beats.map(({ kind, exit_code }) => `${kind} ${exit_code}`)
    expect(kinds).toEqual(['finish 0', 'finish null', 'start null', 'alive null'])
  })

  it('responds with 404 to a wrong token or signal', async () => {
    const { token } = heartbeat
    const paths = [`${token}x`, 'x', `${token}/256`, `${token}/stop`, `${token}/-1`, `${token}/0/0`, '%00', '']
    const unknownPathProblem = await (await send('GET', '/nowhere')).json()
    for (const path of paths) {
      const response = await send('GET', `/beat/${path}`)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.json()).toEqual({ ...unknownPathProblem, request_id: expect.any(String) })
    }
    for (const method of ['PUT', 'DELETE']) {
      const response = await send(method, `/beat/${token}`)
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    }
  })

  it('has a rate limit for each token', async () => {
    const busyHeartbeat = await fixture.create()
    const statuses = []
    for (let n = 0; n < 121; n++) statuses.push((await busyHeartbeat.beat()).status)
    expect(statuses).toEqual([...Array.from({ length: 120 }, () => 200), 429])
    const refusedResponse = await busyHeartbeat.beat()
    expect(Number(refusedResponse.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await (await fixture.create()).beat()).status).toBe(200)
  })

  it('appears without its token in logs', async () => {
    await heartbeat.beat('/start')
    await send('GET', `/beat/${heartbeat.token}/stop/now`)
    await send('PUT', `/belfry/beat/${heartbeat.token}`)
    expect(fixture.server.logLines.filter((line) => line.includes('/beat/')).length).toBeGreaterThan(50)
    expect(fixture.server.logLines.filter((line) => line.includes(heartbeat.token))).toEqual([])
  })
})

describe('the list of beats', () => {
  it('is empty for monitors of other types, and invisible to other users', async () => {
    const { body } = await fixture.keyClient.post('/api/monitors', {
      friendly_name: 'Shop',
      url: 'https://example.com/',
    })
    const list = await fixture.keyClient.get(`/api/monitors/${body.data.id}/beats`)
    expect(list.body).toEqual({
      data: [],
      meta: {
        last_beat_at: null,
        run_started_at: null,
        next_expected_at: null,
        last_output: null,
        last_output_at: null,
      },
    })
    const stranger = await fixture.server.createUser('stranger')
    expect((await stranger.session.get(`/api/monitors/${heartbeat.id}/beats`)).status).toBe(404)
    const otherKey = await fixture.owner.withKey('monitors:write')
    expect((await otherKey.get(`/api/monitors/${heartbeat.id}/beats`)).status).toBe(403)
  })
})

describe('while monitor_states is locked', () => {
  it('a beat waits for the database no longer than BELFRY_DATABASE_TIMEOUT, also behind other beats', async () => {
    const timeoutSeconds = 3
    const lockedFixture = await startHeartbeatFixture({ env: { BELFRY_DATABASE_TIMEOUT: String(timeoutSeconds) } })
    const { beat } = await lockedFixture.create()
    const { db } = lockedFixture.server.services
    const isLocked = Promise.withResolvers<void>()
    const areAnswered = Promise.withResolvers<void>()
    const lockTransaction = db.on('background').transaction(async (q) => {
      await q.query('lock table monitor_states')
      isLocked.resolve()
      await areAnswered.promise
    })
    await isLocked.promise
    const measureBeat = async () => {
      const startedAt = performance.now()
      const { status } = await beat()
      return { status, seconds: (performance.now() - startedAt) / 1000 }
    }
    const firstBeat = measureBeat()
    // The second beat arrives while the first is being stored.
    const waitingSql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect.poll(() => db.query(waitingSql), { timeout: 20_000 }).not.toEqual([])
    const results = await Promise.all([firstBeat, measureBeat()])
    areAnswered.resolve()
    await lockTransaction
    expect(results.map(({ status }) => status)).toEqual([503, 503])
    for (const { seconds } of results) expect(seconds).toBeLessThan(timeoutSeconds + 2)
    expect((await beat()).status).toBe(200)
    await lockedFixture.close()
  })
})
