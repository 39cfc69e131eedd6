/** The tracker before any browser has it: its size, and how it is served. */
import { readFile } from 'node:fs/promises'
import { get, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTracker } from '../../scripts/build-tracker.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const committed = await readFile(join(import.meta.dirname, '..', '..', 'tracker', 'b.js'))
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_RATE_LIMIT: '3' } })
})
afterAll(() => server.close())

interface Served {
  status: number | undefined
  headers: IncomingHttpHeaders
  /** As it came: fetch would unpack it. */
  bytes: Buffer
}

function serve(headers: Record<string, string> = {}, method = 'GET'): Promise<Served> {
  return new Promise((resolve, reject) => {
    const request = get(`${server.address}/b.js`, { headers, method }, async (response) => {
      resolve({ status: response.statusCode, headers: response.headers, bytes: await buffer(response) })
    })
    request.on('error', reject)
  })
}

describe('the tracker', () => {
  it('is what the build makes of its source', async () => {
    expect(await buildTracker()).toBe(committed.toString())
  })

  it('takes at most 1,000 bytes', () => {
    expect(gzipSync(committed, { level: 9 }).length).toBeLessThanOrEqual(1000)
  })

  it('is there for pages of every origin', async () => {
    const { status, headers, bytes } = await serve()
    expect(status).toBe(200)
    expect(bytes.equals(committed)).toBe(true)
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers['set-cookie']).toBeUndefined()
  })

  it('comes compressed to whoever can read it', async () => {
    const small = await serve({ 'accept-encoding': 'gzip, deflate, br, zstd' })
    expect(small.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(small.bytes).equals(committed)).toBe(true)
    for (const wanted of ['gzip', 'deflate, GZIP;q=0.5', 'br;q=0, gzip']) {
      const packed = await serve({ 'accept-encoding': wanted })
      expect(packed.headers['content-encoding'], wanted).toBe('gzip')
      expect(gunzipSync(packed.bytes).equals(committed), wanted).toBe(true)
      expect(packed.bytes.length).toBeLessThanOrEqual(1000)
    }
    for (const wanted of ['identity', 'gzip;q=0', 'xgzip']) {
      expect((await serve({ 'accept-encoding': wanted })).headers['content-encoding'], wanted).toBeUndefined()
    }
  })

  it('is not sent again to whoever has it', async () => {
    const { headers } = await serve()
    const again = await serve({ 'if-none-match': `"another", ${headers.etag}` })
    expect([again.status, again.bytes.length]).toEqual([304, 0])
    expect(again.headers).toMatchObject({ etag: headers.etag, 'cache-control': 'public, max-age=3600' })
    expect((await serve({ 'if-none-match': '"another"' })).status).toBe(200)
    const strong = headers.etag?.replace('W/', '') ?? ''
    expect((await serve({ 'if-none-match': strong })).status).toBe(304)
  })

  it('answers HEAD, and is not counted against anybody', async () => {
    const head = await serve({}, 'HEAD')
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(head.headers['content-length']).toBe(String(committed.length))
    expect(head.headers['x-ratelimit-limit']).toBeUndefined()
  })
})
