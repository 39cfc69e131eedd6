import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createFakeWebBuild, type FakeWebBuild } from '../support/web-build.ts'

let web: FakeWebBuild
let server: TestServer

beforeAll(async () => {
  web = await createFakeWebBuild()
  server = await startTestServer({ webFolder: web.folder, env: { BELFRY_RATE_LIMIT: '3' } })
})
afterAll(async () => {
  await server.close()
  await web.remove()
})

interface RawResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
}

/** Unlike fetch, this neither decompresses the body nor normalizes the path. */
function requestRaw(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> {
  const { hostname, port } = new URL(server.address)
  return new Promise((resolve, reject) => {
    const clientRequest = request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      )
      response.on('error', reject)
    })
    clientRequest.on('error', reject)
    clientRequest.end()
  })
}

const code = 'document.title += "!"\n'.repeat(200)

describe('a file of the web application', () => {
  it('with a hash in its name can be cached forever', async () => {
    const { status, headers, bytes } = await requestRaw(`/assets/${web.script}`)
    expect(status).toBe(200)
    expect(bytes.toString()).toBe(code)
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(code.length),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
    })
    expect(headers['content-encoding']).toBe(undefined)
  })

  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['deflate', undefined, (bytes: Buffer) => bytes],
    ['br;q=0', undefined, (bytes: Buffer) => bytes],
  ])('is compressed if the browser accepts compression: %s', async (acceptEncoding, encoding, decompress) => {
    const { headers, bytes } = await requestRaw(`/assets/${web.script}`, { 'accept-encoding': acceptEncoding })
    expect(headers['content-encoding']).toBe(encoding)
    expect(headers['content-length']).toBe(String(bytes.length))
    expect(decompress(bytes).toString()).toBe(code)
  })

  it('that compresses badly is sent uncompressed', async () => {
    const { headers, bytes } = await requestRaw('/assets/style-Ef56Gh78.css', { 'accept-encoding': 'br, gzip' })
    expect(headers['content-type']).toBe('text/css; charset=utf-8')
    expect(headers['content-encoding']).toBe(undefined)
    expect(bytes.toString()).toBe('body { margin: 0 }')
  })

  it('without a hash in its name is revalidated each time', async () => {
    const { status, headers } = await requestRaw('/icon.svg')
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' })
    const secondResponse = await requestRaw('/icon.svg', { 'if-none-match': String(headers['etag']) })
    expect([secondResponse.status, secondResponse.bytes.length, secondResponse.headers['etag']]).toEqual([
      304,
      0,
      headers['etag'],
    ])
    expect((await requestRaw('/icon.svg', { 'if-none-match': 'W/"another"' })).status).toBe(200)
  })

  it('returns its size to HEAD', async () => {
    const { status, headers, bytes } = await requestRaw(`/assets/${web.script}`, { 'accept-encoding': 'br' }, 'HEAD')
    expect([status, bytes.length, headers['content-encoding']]).toEqual([200, 0, 'br'])
    expect(Number(headers['content-length'])).toBeGreaterThan(0)
    expect((await requestRaw(`/assets/${web.script}`, {}, 'DELETE')).headers['allow']).toBe('GET, HEAD')
  })

  it('that is not in the build is not found', async () => {
    await writeFile(join(web.folder, '..', 'secret.txt'), 'secret')
    const paths = [
      '/assets/nothing-Ab12Cd34.js',
      '/assets/',
      '/assets',
      `/assets/${web.script}.br`,
      '/index.html',
      '/assets/../index.html',
      '/assets/..%2findex.html',
      '/assets/../../secret.txt',
      '/assets/..%2f..%2fsecret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
      `/assets//${web.script}`,
      `/assets/${web.script}%00`,
    ]
    for (const path of paths) {
      // Each request has a different client address, so that none reaches the rate limit.
      const fromAddress = { 'x-forwarded-for': `203.0.113.${paths.indexOf(path)}` }
      const { status, bytes } = await requestRaw(path, { accept: '*/*', ...fromAddress })
      expect([path, status, bytes.includes('secret.txt') || bytes.includes('id="app"')]).toEqual([path, 404, false])
    }
  })

  it('does not count towards the rate limit', async () => {
    const fromAddress = { 'x-forwarded-for': '203.0.113.200' }
    for (let n = 0; n < 8; n++) expect((await requestRaw(`/assets/${web.script}`, fromAddress)).status).toBe(200)
    expect((await requestRaw('/icon.svg', fromAddress)).headers['x-ratelimit-remaining']).toBe(undefined)
  })
})

describe('a new build', () => {
  // The other tests expect the first build.
  afterEach(() => createFakeWebBuild(web.script, web.folder))

  it('is served immediately and replaces the previous one', async () => {
    const fromAddress = (n: number) => ({ accept: 'text/html', 'x-forwarded-for': `198.51.100.${n}` })
    await server.createUser('ada')
    expect((await requestRaw('/', fromAddress(1))).bytes.toString()).toContain(web.script)
    await createFakeWebBuild('index-New00000.js', web.folder)
    expect((await requestRaw('/assets/index-New00000.js')).status).toBe(200)
    expect((await requestRaw(`/assets/${web.script}`)).status).toBe(404)
    expect((await requestRaw('/', fromAddress(2))).bytes.toString()).toContain('index-New00000.js')
  })

  it('is served completely, including files without a hash, before any page is loaded', async () => {
    const { headers } = await requestRaw('/icon.svg')
    const icon = `<svg xmlns="http://www.w3.org/2000/svg"><title>${'Belfry '.repeat(20)}</title></svg>`
    await createFakeWebBuild('index-New11111.js', web.folder)
    await writeFile(join(web.folder, 'icon.svg'), icon)
    const response = await requestRaw('/icon.svg', { 'if-none-match': String(headers['etag']) })
    expect([response.status, response.headers['content-length']]).toEqual([200, String(icon.length)])
    expect(response.bytes.toString()).toBe(icon)
  })
})
