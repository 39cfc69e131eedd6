import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadSecret, Secret } from './secret.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'belfry-secret-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

describe('the secret', () => {
  it('is made once, for the owner’s eyes only', async () => {
    const first = await loadSecret({ secret: undefined, dataDir })
    expect(first.text).toHaveLength(43)
    expect((await stat(join(dataDir, 'secret'))).mode & 0o777).toBe(0o600)
    expect((await loadSecret({ secret: undefined, dataDir })).text).toBe(first.text)
    expect(await readdir(dataDir)).toEqual(['secret'])
  })

  it('is one for all who start at the same moment', async () => {
    const secrets = await Promise.all(Array.from({ length: 8 }, () => loadSecret({ secret: undefined, dataDir })))
    expect(new Set(secrets.map(({ text }) => text)).size).toBe(1)
  })

  it('comes from the environment where it is set, and leaves no file', async () => {
    expect((await loadSecret({ secret: 's'.repeat(32), dataDir })).text).toBe('s'.repeat(32))
    expect(await readdir(dataDir)).toEqual([])
  })

  it('is never replaced when its file is damaged', async () => {
    await writeFile(join(dataDir, 'secret'), 'short')
    await chmod(join(dataDir, 'secret'), 0o600)
    await expect(loadSecret({ secret: undefined, dataDir })).rejects.toThrow('too short')
    expect(await readFile(join(dataDir, 'secret'), 'utf8')).toBe('short')
  })

  it('gives another key for each purpose, and a fingerprint that gives nothing away', () => {
    const secret = new Secret('s'.repeat(32))
    expect(secret.hmac('setup', 'x')).not.toEqual(secret.hmac('idempotency', 'x'))
    expect(secret.fingerprint).toBe(new Secret('s'.repeat(32)).fingerprint)
    expect(secret.fingerprint).not.toBe(new Secret('t'.repeat(32)).fingerprint)
  })
})
