import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createWebBuild, parseBootData } from '../support/web-build.ts'

const script = resolve(import.meta.dirname, '../../scripts/build-web.ts')
const asPerson = { headers: { accept: 'text/html' } }
/** A build takes two seconds on a machine that does nothing else. */
const BUILT_MS = 60_000

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-build-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a build', () => {
  it('takes the place of the one before, compressed, and leaves nothing else', { timeout: BUILT_MS }, async () => {
    const target = join(folder, 'once', 'dist')
    await createWebBuild('index-Old00000.js', target)
    const before = await stat(target)
    const { stdout } = await promisify(execFile)(process.execPath, [script, target])
    expect(stdout).toMatch(/^Built the web application: \d+ files, \d+ kB, \d+ kB compressed, in [\d.]+ s\.\n$/)
    expect(await readdir(join(folder, 'once'))).toEqual(['dist'])
    expect((await stat(target)).ino).not.toBe(before.ino)
    // Whoever may look at the old one may look at the new one.
    expect((await stat(target)).mode & 0o777).toBe(0o755)

    const html = await readFile(join(target, 'index.html'), 'utf8')
    for (const marker of ['base', 'title', 'robots', 'boot']) expect(html).toContain(`<!--${marker}-->`)
    const names = await readdir(join(target, 'assets'))
    expect(names).not.toContain('index-Old00000.js')
    const name = names.find((one) => /^index-.*\.js$/.test(one)) ?? ''
    const [plain, br, gz] = await Promise.all(
      ['', '.br', '.gz'].map((end) => readFile(join(target, 'assets', name + end))),
    )
    expect(brotliDecompressSync(br as Buffer)).toEqual(plain)
    expect(gunzipSync(gz as Buffer)).toEqual(plain)
  })
})

describe('a server without a build', () => {
  const start = (webFolder: string) => startTestServer({ webFolder })
  const saying = (server: TestServer, text: string) => server.logged.filter((line) => line.includes(text)).length

  it('makes one beside its work, once', { timeout: BUILT_MS + 10_000 }, async () => {
    const server = await start(join(folder, 'dist'))
    try {
      await server.person('somebody')
      const early = await server.anyone.get('/', asPerson)
      // A busy machine may get to it before us.
      if (early.status !== 200) {
        expect([early.status, early.headers.get('refresh')]).toEqual([503, '3'])
        expect(early.text).toContain('The pages are being built')
      }
      expect((await server.anyone.get('/nothing', asPerson)).status).toBe(404)
      expect((await server.anyone.get('/api/openapi.json')).status).toBe(200)
      const page = await vi.waitFor(
        async () => {
          const answer = await server.anyone.get('/', asPerson)
          expect(answer.status).toBe(200)
          return answer
        },
        { timeout: BUILT_MS, interval: 100 },
      )
      expect(parseBootData(page.text).user).toBe(null)
      const name = /src="\.\/(assets\/[^"]+)"/.exec(page.text)?.[1]
      expect((await server.anyone.get(`/${name}`)).status).toBe(200)
      await vi.waitFor(() => expect(saying(server, '"the web application is built"')).toBe(1))
      expect(saying(server, 'is not built yet')).toBe(1)
    } finally {
      await server.close()
    }
  })

  it('runs all the same where none can be made, and says what to do', { timeout: BUILT_MS }, async () => {
    await writeFile(join(folder, 'file'), '')
    const server = await start(join(folder, 'file', 'dist'))
    try {
      const owner = await server.person('somebody')
      await vi.waitFor(() => expect(saying(server, 'could not be built')).toBe(1), { timeout: BUILT_MS, interval: 100 })
      for (const path of ['/', '/monitors']) {
        const { status, headers, text } = await server.anyone.get(path, asPerson)
        expect([path, status]).toEqual([path, 503])
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
        expect(text).toContain('<code>npm run build</code>')
      }
      const nothing = await server.anyone.get('/nothing', asPerson)
      expect([nothing.status, nothing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect((await server.anyone.get('/assets/index.js')).status).toBe(404)
      expect((await owner.session.get('/api/session')).status).toBe(200)
      expect((await server.anyone.get('/readyz')).body.status).toBe('ok')
    } finally {
      await server.close()
    }
  })

  it('finds a build that is made by hand later', async () => {
    const target = join(folder, 'file2', 'dist')
    await writeFile(join(folder, 'file2'), '')
    const server = await start(target)
    try {
      await server.person('somebody')
      await rm(join(folder, 'file2'))
      await createWebBuild('index-Ab12Cd34.js', target)
      expect((await server.anyone.get('/', asPerson)).status).toBe(200)
    } finally {
      await server.close()
    }
  })
})
