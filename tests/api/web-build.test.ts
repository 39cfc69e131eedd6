import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { replaceBuild } from '../../scripts/build-web.ts'
import { expectReady } from '../support/readiness.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createFakeWebBuild, parseBootData } from '../support/web-build.ts'

const root = resolve(import.meta.dirname, '../..')
const fromBrowser = { headers: { accept: 'text/html' } }
/** A build takes two seconds on an idle machine. */
const BUILD_TIMEOUT_MS = 60_000

let folder: string
/** The build script of a small project. */
let smallBuildScript: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-build-'))
  smallBuildScript = await createSmallProject()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/**
 * Copies the build script beside a web application that consists of one page and one script, because building Belfry's pages
 * takes five seconds of processor time. Returns the path of the copy.
 */
async function createSmallProject(): Promise<string> {
  const project = join(folder, 'project')
  await mkdir(join(project, 'web'), { recursive: true })
  await cp(join(root, 'scripts/build-web.ts'), join(project, 'scripts/build-web.ts'))
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'))
  const files = {
    'package.json': '{ "type": "module" }',
    'web/vite.config.ts': `export default { root: import.meta.dirname, base: './', logLevel: 'warn' }`,
    'web/index.html': `<!doctype html><head><!--base--><!--robots--><title><!--title--></title><!--boot--></head>
      <script type="module" src="./main.js"></script>`,
    'web/main.js': `document.title = '${'small '.repeat(500)}'`,
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text)
  return join(project, 'scripts/build-web.ts')
}

/** Reads the main script of a build, and expects that its compressed versions have the same content. */
async function expectCompressedScript(target: string): Promise<void> {
  const names = await readdir(join(target, 'assets'))
  const name = names.find((file) => /^index-.*\.js$/.test(file)) ?? ''
  const [uncompressedFile, br] = await Promise.all(
    ['', '.br'].map((suffix) => readFile(join(target, 'assets', name + suffix))),
  )
  // `toEqual` would compare byte by byte, which takes half a second for a large script.
  expect(brotliDecompressSync(br as Buffer).equals(uncompressedFile as Buffer)).toBe(true)
}

describe('a build', () => {
  it('replaces the previous build, compresses files and leaves nothing else behind', {
    timeout: BUILD_TIMEOUT_MS,
  }, async () => {
    const target = join(folder, 'once', 'dist')
    await createFakeWebBuild('index-Old00000.js', target)
    const previousFolder = await stat(target)
    const { stdout } = await promisify(execFile)(process.execPath, [smallBuildScript, target])
    expect(stdout).toMatch(/^Built the web application: \d+ files, \d+ kB, \d+ kB compressed, in [\d.]+ s\.\n$/)
    expect(await readdir(join(folder, 'once'))).toEqual(['dist'])
    expect((await stat(target)).ino).not.toBe(previousFolder.ino)
    // All users of the machine can read the new build, as they could read the previous one.
    expect((await stat(target)).mode & 0o777).toBe(0o755)
    expect(await readdir(join(target, 'assets'))).not.toContain('index-Old00000.js')
    await expectCompressedScript(target)
  })

  it("of Belfry's pages has the markers that the server replaces, and is compressed", async () => {
    const target = join(root, 'web', 'dist')
    const html = await readFile(join(target, 'index.html'), 'utf8')
    for (const marker of ['base', 'title', 'robots', 'boot']) expect(html).toContain(`<!--${marker}-->`)
    await expectCompressedScript(target)
  })

  it('that cannot be moved into place leaves the previous build', async () => {
    const target = join(folder, 'kept', 'dist')
    await createFakeWebBuild('index-Old00000.js', target)
    const missingFolder = join(folder, 'kept', '.dist-missing')
    await expect(replaceBuild(missingFolder, target)).rejects.toThrow('ENOENT')
    expect(await readdir(join(folder, 'kept'))).toEqual(['dist'])
    expect(await readdir(join(target, 'assets'))).toContain('index-Old00000.js')
  })
})

describe('a server without a build', () => {
  const countLogLines = (server: TestServer, text: string) =>
    server.logLines.filter((line) => line.includes(text)).length

  it('builds in the background, once', { timeout: BUILD_TIMEOUT_MS + 10_000 }, async () => {
    const target = join(folder, 'missing', 'dist')
    await mkdir(join(folder, 'missing'))
    const server = await startTestServer({ webFolder: target, webBuildScript: smallBuildScript })
    try {
      await server.createUser('ada')
      const earlyResponse = await server.anyone.get('/', fromBrowser)
      // The build may already be finished.
      if (earlyResponse.status !== 200) {
        expect([earlyResponse.status, earlyResponse.headers.get('refresh')]).toEqual([503, '3'])
        expect(earlyResponse.text).toContain('Building the web pages…')
      }
      expect((await server.anyone.get('/nothing', fromBrowser)).status).toBe(404)
      expect((await server.anyone.get('/api/openapi.json')).status).toBe(200)
      const page = await vi.waitFor(
        async () => {
          const response = await server.anyone.get('/', fromBrowser)
          expect(response.status).toBe(200)
          return response
        },
        { timeout: BUILD_TIMEOUT_MS, interval: 100 },
      )
      expect(parseBootData(page.text).user).toBe(null)
      const name = /src="\.\/(assets\/[^"]+)"/.exec(page.text)?.[1]
      expect((await server.anyone.get(`/${name}`)).status).toBe(200)
      await vi.waitFor(() => expect(countLogLines(server, '"the web pages have been built"')).toBe(1), 20_000)
      expect(countLogLines(server, 'are not built yet')).toBe(1)

      expect(await readdir(join(folder, 'missing'))).toEqual(['dist'])
      expect((await stat(target)).mode & 0o777).toBe(0o755)
      await expectCompressedScript(target)
    } finally {
      await server.close()
    }
  })

  it('works without pages if the build fails, and says what to do', { timeout: BUILD_TIMEOUT_MS }, async () => {
    await writeFile(join(folder, 'file'), '')
    const server = await startTestServer({ webFolder: join(folder, 'file', 'dist') })
    try {
      const owner = await server.createUser('ada')
      await vi.waitFor(() => expect(countLogLines(server, 'could not be built')).toBe(1), {
        timeout: BUILD_TIMEOUT_MS,
        interval: 100,
      })
      // Only Belfry's own build script prints this.
      expect(countLogLines(server, 'The web application could not be built: ENOTDIR')).toBe(1)
      for (const path of ['/', '/monitors']) {
        const { status, headers, text } = await server.anyone.get(path, fromBrowser)
        expect([path, status]).toEqual([path, 503])
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
        expect(text).toContain('<code>npm run build</code>')
      }
      const unknownPathResponse = await server.anyone.get('/nothing', fromBrowser)
      expect([unknownPathResponse.status, unknownPathResponse.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ])
      expect((await server.anyone.get('/assets/index.js')).status).toBe(404)
      expect((await owner.session.get('/api/session')).status).toBe(200)
      expectReady(await server.anyone.get('/readyz'))
    } finally {
      await server.close()
    }
  })

  it('finds a build that is created manually later', async () => {
    const target = join(folder, 'file2', 'dist')
    await writeFile(join(folder, 'file2'), '')
    const server = await startTestServer({ webFolder: target })
    try {
      await server.createUser('ada')
      await rm(join(folder, 'file2'))
      await createFakeWebBuild('index-Ab12Cd34.js', target)
      expect((await server.anyone.get('/', fromBrowser)).status).toBe(200)
    } finally {
      await server.close()
    }
  })
})
