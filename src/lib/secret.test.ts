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
  it('is created once, readable only by its owner', async () => {
    const firstSecret = await loadSecret({ secret: undefined, dataDir })
    expect(firstSecret.text).toHaveLength(43)
    expect((await stat(join(dataDir, 'secret'))).mode & 0o777).toBe(0o600)
    expect((await loadSecret({ secret: undefined, dataDir })).text).toBe(firstSecret.text)
    expect(await readdir(dataDir)).toEqual(['secret'])
  })

  it('is the same for servers that start at the same time', async () => {
    const secrets = await Promise.all(Array.from({ length: 8 }, () => loadSecret({ secret: undefined, dataDir })))
    expect(new Set(secrets.map(({ text }) => text)).size).toBe(1)
  })

  it('comes from the environment if set there, without creating a file', async () => {
    expect((await loadSecret({ secret: 's'.repeat(32), dataDir })).text).toBe('s'.repeat(32))
    expect(await readdir(dataDir)).toEqual([])
  })

  it('is never replaced when its file is damaged', async () => {
    await writeFile(join(dataDir, 'secret'), 'short')
    await chmod(join(dataDir, 'secret'), 0o600)
    await expect(loadSecret({ secret: undefined, dataDir })).rejects.toThrow('too short')
    expect(await readFile(join(dataDir, 'secret'), 'utf8')).toBe('short')
  })

  it('derives a different key for each purpose, and a fingerprint', () => {
    const secret = new Secret('s'.repeat(32))
    expect(secret.hmac('setup', 'x')).not.toEqual(secret.hmac('idempotency', 'x'))
    expect(secret.fingerprint).toBe(new Secret('s'.repeat(32)).fingerprint)
    expect(secret.fingerprint).not.toBe(new Secret('t'.repeat(32)).fingerprint)
  })

  it('encrypts a text with a fresh nonce each time, and decrypts it', () => {
    const secret = new Secret('s'.repeat(32))
    const sealedData = secret.seal('provider secrets', 7, 'hush ✅')
    expect(sealedData.toString('latin1')).not.toContain('hush')
    expect(secret.seal('provider secrets', 7, 'hush ✅')).not.toEqual(sealedData)
    expect(secret.unseal('provider secrets', 7, sealedData)).toBe('hush ✅')
    expect(secret.unseal('provider secrets', 7, secret.seal('provider secrets', 7, ''))).toBe('')
  })

  it('refuses to decrypt data of another owner, purpose or secret, or modified data', () => {
    const secret = new Secret('s'.repeat(32))
    const sealedData = secret.seal('provider secrets', 7, 'hush')
    expect(() => secret.unseal('provider secrets', 8, sealedData)).toThrow()
    expect(() => secret.unseal('monitor headers', 7, sealedData)).toThrow()
    expect(() => new Secret('t'.repeat(32)).unseal('provider secrets', 7, sealedData)).toThrow()
    for (const byteIndex of [0, 1, 13, sealedData.length - 1]) {
      const modifiedData = Buffer.from(sealedData)
      modifiedData[byteIndex] = (modifiedData[byteIndex] ?? 0) ^ 1
      expect(() => secret.unseal('provider secrets', 7, modifiedData)).toThrow()
    }
    expect(() => secret.unseal('provider secrets', 7, sealedData.subarray(0, 20))).toThrow()
  })
})
