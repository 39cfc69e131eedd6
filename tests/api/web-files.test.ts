import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type WebBuild, createWebBuild } from '../support/web-build.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let web: WebBuild
let server: TestServer

beforeAll(async () => {
  web = await createWebBuild()
  server = await startTestServer({ webFolder: web.folder, env: { BELFRY_RATE_LIMIT: '3' } })
})
afterAll(async () => {
  await server.close()
  await web.remove()
})

interface Raw {
  status: number
  headers: Record<string, string | string[] | undefined>
  bytes: Buffer
}

/** As it comes: fetch would undo the compression, and tidy up the path. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  const { hostname, port } = new URL(server.address)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
      )
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}

const code = 'document.title += "!"\n'.repeat(200)

describe('a file of the application', () => {
  it('stays in the browser for good when its name says what is in it', async () => {
    const { status, headers, bytes } = await ask(`/assets/${web.script}`)
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
  ])('is compressed as the browser likes it: %s', async (accepted, encoding, undo) => {
    const { headers, bytes } = await ask(`/assets/${web.script}`, { 'accept-encoding': accepted })
    expect(headers['content-encoding']).toBe(encoding)
    expect(headers['content-length']).toBe(String(bytes.length))
    expect(undo(bytes).toString()).toBe(code)
  })

  it('is sent as it is where compressing was not worth it', async () => {
    const { headers, bytes } = await ask('/assets/style-Ef56Gh78.css', { 'accept-encoding': 'br, gzip' })
    expect(headers['content-type']).toBe('text/css; charset=utf-8')
    expect(headers['content-encoding']).toBe(undefined)
    expect(bytes.toString()).toBe('body { margin: 0 }')
  })

  it('is asked after each time when its name stays', async () => {
    const { status, headers } = await ask('/icon.svg')
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' })
    const again = await ask('/icon.svg', { 'if-none-match': String(headers['etag']) })
    expect([again.status, again.bytes.length, again.headers['etag']]).toEqual([304, 0, headers['etag']])
    expect((await ask('/icon.svg', { 'if-none-match': 'W/"another"' })).status).toBe(200)
  })

  it('answers HEAD with its size', async () => {
    const { status, headers, bytes } = await ask(`/assets/${web.script}`, { 'accept-encoding': 'br' }, 'HEAD')
    expect([status, bytes.length, headers['content-encoding']]).toEqual([200, 0, 'br'])
    expect(Number(headers['content-length'])).toBeGreaterThan(0)
    expect((await ask(`/assets/${web.script}`, {}, 'DELETE')).headers['allow']).toBe('GET, HEAD')
  })

  it('is all that can be had', async () => {
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
      // Another address each, for what is limited.
      const from = { 'x-forwarded-for': `203.0.113.${paths.indexOf(path)}` }
      const { status, bytes } = await ask(path, { accept: '*/*', ...from })
      expect([path, status, bytes.includes('secret.txt') || bytes.includes('id="app"')]).toEqual([path, 404, false])
    }
  })

  it('does not count as a request of whoever loads it', async () => {
    const from = { 'x-forwarded-for': '203.0.113.200' }
    for (let n = 0; n < 8; n++) expect((await ask(`/assets/${web.script}`, from)).status).toBe(200)
    expect((await ask('/icon.svg', from)).headers['x-ratelimit-remaining']).toBe(undefined)
  })
})

describe('a new build', () => {
  it('is served at once, and the one before it is gone', async () => {
    const from = (n: number) => ({ accept: 'text/html', 'x-forwarded-for': `198.51.100.${n}` })
    await server.person('somebody')
    expect((await ask('/', from(1))).bytes.toString()).toContain(web.script)
    await createWebBuild('index-New00000.js', web.folder)
    expect((await ask('/assets/index-New00000.js')).status).toBe(200)
    expect((await ask(`/assets/${web.script}`)).status).toBe(404)
    expect((await ask('/', from(2))).bytes.toString()).toContain('index-New00000.js')
  })

  it('has its files whole, also those whose names stay, before anybody has loaded a page', async () => {
    const { headers } = await ask('/icon.svg')
    const icon = `<svg xmlns="http://www.w3.org/2000/svg"><title>${'Belfry '.repeat(20)}</title></svg>`
    await createWebBuild('index-New11111.js', web.folder)
    await writeFile(join(web.folder, 'icon.svg'), icon)
    const answer = await ask('/icon.svg', { 'if-none-match': String(headers['etag']) })
    expect([answer.status, answer.headers['content-length']]).toEqual([200, String(icon.length)])
    expect(answer.bytes.toString()).toBe(icon)
  })
})
