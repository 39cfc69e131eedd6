/** The server's secret, from BELFRY_SECRET or a file that the first start creates. Each purpose uses its own derived key. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readPrivateFile } from './private-file.ts'
import { StartupError } from './startup-error.ts'

const purposes = [
  'setup',
  'idempotency',
  'addresses',
  'fingerprint',
  'monitor headers',
  'beat token',
  'provider secrets',
  'unlock',
  'unsubscribe',
  'custom domain',
  'custom domain owner',
  'subscribers',
  'recipients',
  'event ids',
  'server settings',
  'installation proof',
  'acknowledge',
  'sign-in attempts',
  'second factors',
  'recovery codes',
  'single sign-on',
] as const
type Purpose = (typeof purposes)[number]

/**
 * The first byte of encrypted data, so that a later version of Belfry can change the format and still read this format.
 */
const SEAL_VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

export class Secret {
  readonly text: string
  readonly #keys: Record<Purpose, Buffer>

  constructor(text: string) {
    this.text = text
    const deriveKey = (purpose: Purpose) => Buffer.from(hkdfSync('sha256', text, '', `belfry ${purpose}`, 32))
    this.#keys = Object.fromEntries(purposes.map((purpose) => [purpose, deriveKey(purpose)])) as Record<Purpose, Buffer>
  }

  hmac(purpose: Purpose, data: string): Buffer {
    return createHmac('sha256', this.#keys[purpose]).update(data).digest()
  }

  /** Encrypts with AES-256-GCM. The result can only be decrypted for the same purpose and owner. */
  seal(purpose: Purpose, ownerId: number, text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#keys[purpose], nonce)
    cipher.setAAD(Buffer.from(`${purpose} ${ownerId}`))
    const ciphertext = [cipher.update(text, 'utf8'), cipher.final()]
    return Buffer.concat([Buffer.of(SEAL_VERSION), nonce, ...ciphertext, cipher.getAuthTag()])
  }

  /** Throws if the data was modified, or sealed for another purpose, owner or secret. */
  unseal(purpose: Purpose, ownerId: number, sealedData: Buffer): string {
    if (sealedData[0] !== SEAL_VERSION) throw new Error('sealed by a newer version of Belfry')
    const nonce = sealedData.subarray(1, 1 + NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', this.#keys[purpose], nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(`${purpose} ${ownerId}`))
    decipher.setAuthTag(sealedData.subarray(-TAG_BYTES))
    return decipher.update(sealedData.subarray(1 + NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  }

  /** Encrypts for another owner what was sealed for one. */
  reseal(purpose: Purpose, owners: { from: number; to: number }, sealedData: Buffer): Buffer {
    return this.seal(purpose, owners.to, this.unseal(purpose, owners.from, sealedData))
  }

  /** Identifies the secret without revealing it. The database stores it to detect a wrong secret. */
  get fingerprint(): string {
    return this.hmac('fingerprint', '').toString('base64url').slice(0, 22)
  }
}

export function secretPath(dataDir: string): string {
  return join(dataDir, 'secret')
}

export async function findStoredSecret(dataDir: string): Promise<string | undefined> {
  try {
    const text = readPrivateFile(secretPath(dataDir)).trim()
    if (text.length >= 32) return text
    throw new StartupError(
      `The secret in ${secretPath(dataDir)} is too short.`,
      "Restore the file from a backup. Without it, stored credentials can't be decrypted.",
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Doesn't replace an existing secret, because creating a link fails if the file exists. If two servers start for the first
 * time together, both use the secret of the faster one.
 */
export async function storeSecret(dataDir: string, text: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const temporaryPath = join(dataDir, `.secret-${randomBytes(6).toString('hex')}`)
  const file = await open(temporaryPath, 'wx', 0o600)
  try {
    await file.writeFile(`${text}\n`)
    await file.sync()
    await link(temporaryPath, secretPath(dataDir)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await file.close()
    await rm(temporaryPath, { force: true })
  }
}

export async function loadSecret(config: { secret: string | undefined; dataDir: string }): Promise<Secret> {
  if (config.secret !== undefined) return new Secret(config.secret)
  const storedText = await findStoredSecret(config.dataDir)
  if (storedText !== undefined) return new Secret(storedText)
  await storeSecret(config.dataDir, randomBytes(32).toString('base64url'))
  const writtenText = await findStoredSecret(config.dataDir)
  if (writtenText === undefined) throw new Error('the secret file was written but cannot be read')
  return new Secret(writtenText)
}
