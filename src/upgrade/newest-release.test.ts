import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { findNewestRelease, isNewerVersion } from './newest-release.ts'

/** Starts a stand-in for the npm registry that knows one version of Belfry, or none, and lets npm use it. */
async function startRegistry(version: string | undefined): Promise<{ requests: string[]; close(): void }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.setHeader('content-type', 'application/json')
    if (version === undefined) response.writeHead(404).end('{}')
    else {
      const manifest = { name: 'belfry', version, dist: { tarball: 'http://127.0.0.1/belfry.tgz' } }
      response.end(
        JSON.stringify({ name: 'belfry', 'dist-tags': { latest: version }, versions: { [version]: manifest } }),
      )
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const close = () => void server.close()
  onTestFinished(close)
  return { requests, close }
}

describe('the newest release', () => {
  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), 'belfry-npm-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    vi.stubEnv('npm_config_cache', folder)
  })
  afterEach(() => vi.unstubAllEnvs())

  it("comes from the registry that the machine's npm is configured to use", async () => {
    const { requests } = await startRegistry('1.4.2')
    expect(await findNewestRelease()).toEqual({ version: '1.4.2' })
    expect(requests).toEqual(['GET /belfry'])
  })

  it('is unknown without a release, without a registry and without npm, and says why', async () => {
    const { close } = await startRegistry(undefined)
    expect(await findNewestRelease()).toEqual({ problem: 'the npm registry has no release of Belfry' })
    close()
    expect(await findNewestRelease()).toEqual({ problem: 'the npm registry is not reachable' })
    vi.stubEnv('PATH', '/nonexistent')
    expect(await findNewestRelease()).toEqual({ problem: 'npm is not installed' })
  })

  it.each([
    ['0.2.0', '0.1.0', true],
    ['0.10.0', '0.9.9', true],
    ['1.0.0', '0.9.9', true],
    ['0.1.0', '0.1.0', false],
    ['0.1.0', '0.1.1', false],
    ['1.0.0', '1.0.0-beta.1', true],
    ['1.0.0', '1.0.1-beta.1', false],
  ])('%s is newer than %s: %s', (version, thanVersion, isNewer) => {
    expect(isNewerVersion(version, thanVersion)).toBe(isNewer)
  })
})
