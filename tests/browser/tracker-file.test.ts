/** The tracker script: its size, and how the server delivers it. */
import { readFile } from 'node:fs/promises'
import { get, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTracker } from '../../scripts/build-tracker.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const committedScript = await readFile(join(import.meta.dirname, '..', '..', 'tracker', 'b.js'))
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_RATE_LIMIT: '3' } })
})
afterAll(() => server.close())

interface TrackerResponse {
  status: number | undefined
  headers: IncomingHttpHeaders
  /** The compressed bytes, which fetch would decompress. */
  bytes: Buffer
}

function requestTracker(headers: Record<string, string> = {}, method = 'GET'): Promise<TrackerResponse> {
  return new Promise((resolve, reject) => {
    const request = get(`${server.address}/b.js`, { headers, method }, async (response) => {
      resolve({ status: response.statusCode, headers: response.headers, bytes: await buffer(response) })
    })
    request.on('error', reject)
  })
}

describe('the tracker', () => {
  it('matches the build of its source', async () => {
    expect(await buildTracker()).toBe(committedScript.toString())
  })

  it('is at most 1,000 bytes gzipped', () => {
    expect(gzipSync(committedScript, { level: 9 }).length).toBeLessThanOrEqual(1000)
  })

  it('can be loaded by pages of any origin', async () => {
    const { status, headers, bytes } = await requestTracker()
    expect(status).toBe(200)
    expect(bytes.equals(committedScript)).toBe(true)
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

  it('is compressed for clients that support it', async () => {
    const brotli = await requestTracker({ 'accept-encoding': 'gzip, deflate, br, zstd' })
    expect(brotli.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(brotli.bytes).equals(committedScript)).toBe(true)
    for (const acceptEncoding of ['gzip', 'deflate, GZIP;q=0.5', 'br;q=0, gzip']) {
      const gzippedResponse = await requestTracker({ 'accept-encoding': acceptEncoding })
      expect(gzippedResponse.headers['content-encoding'], acceptEncoding).toBe('gzip')
      expect(gunzipSync(gzippedResponse.bytes).equals(committedScript), acceptEncoding).toBe(true)
      expect(gzippedResponse.bytes.length).toBeLessThanOrEqual(1000)
    }
    for (const acceptEncoding of ['identity', 'gzip;q=0', 'xgzip']) {
      expect(
        (await requestTracker({ 'accept-encoding': acceptEncoding })).headers['content-encoding'],
        acceptEncoding,
      ).toBeUndefined()
    }
  })

  it('is not sent again if the client has the current version', async () => {
    const { headers } = await requestTracker()
    const revalidatedResponse = await requestTracker({ 'if-none-match': `"another", ${headers.etag}` })
    expect([revalidatedResponse.status, revalidatedResponse.bytes.length]).toEqual([304, 0])
    expect(revalidatedResponse.headers).toMatchObject({ etag: headers.etag, 'cache-control': 'public, max-age=3600' })
    expect((await requestTracker({ 'if-none-match': '"another"' })).status).toBe(200)
    const strongEtag = headers.etag?.replace('W/', '') ?? ''
    expect((await requestTracker({ 'if-none-match': strongEtag })).status).toBe(304)
  })

  it("supports HEAD and doesn't count towards the rate limit", async () => {
    const head = await requestTracker({}, 'HEAD')
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(head.headers['content-length']).toBe(String(committedScript.length))
    expect(head.headers['x-ratelimit-limit']).toBeUndefined()
  })
})
