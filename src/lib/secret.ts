/** The server's one secret: from the environment or a file made on first start. Keys are derived from it by purpose. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from './startup-error.ts'

const purposes = [
  'setup',
  'idempotency',
  'addresses',
  'fingerprint',
  'monitor headers',
  'provider secrets',
  'unlock',
  'unsubscribe',
] as const
type Purpose = (typeof purposes)[number]

/** In front of what is sealed, so that another way of sealing can be told apart one day. */
const SEAL_VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

export class Secret {
  readonly text: string
  readonly #keys: Record<Purpose, Buffer>

  constructor(text: string) {
    this.text = text
    const derive = (purpose: Purpose) => Buffer.from(hkdfSync('sha256', text, '', `belfry ${purpose}`, 32))
    this.#keys = Object.fromEntries(purposes.map((purpose) => [purpose, derive(purpose)])) as Record<Purpose, Buffer>
  }

  hmac(purpose: Purpose, data: string): Buffer {
    return createHmac('sha256', this.#keys[purpose]).update(data).digest()
  }

  /** Encrypts with AES-256-GCM. What is sealed for one owner cannot be opened as somebody else's. */
  seal(purpose: Purpose, owner: number, text: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#keys[purpose], nonce)
    cipher.setAAD(Buffer.from(`${purpose} ${owner}`))
    const sealed = [cipher.update(text, 'utf8'), cipher.final()]
    return Buffer.concat([Buffer.of(SEAL_VERSION), nonce, ...sealed, cipher.getAuthTag()])
  }

  /** Throws where it was changed, or sealed for another purpose, owner or secret. */
  unseal(purpose: Purpose, owner: number, sealed: Buffer): string {
    if (sealed[0] !== SEAL_VERSION) throw new Error('sealed in a way that this version does not know')
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', this.#keys[purpose], nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(`${purpose} ${owner}`))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    return decipher.update(sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  }

  /** Tells two secrets apart without giving either away; kept in the database. */
  get fingerprint(): string {
    return this.hmac('fingerprint', '').toString('base64url').slice(0, 22)
  }
}

export function secretFile(dataDir: string): string {
  return join(dataDir, 'secret')
}

export async function findSecretFile(dataDir: string): Promise<string | undefined> {
  try {
    const text = (await readFile(secretFile(dataDir), 'utf8')).trim()
    if (text.length >= 32) return text
    throw new StartupError(
      `The secret in ${secretFile(dataDir)} is too short.`,
      'Put it back from a backup; without it stored secrets cannot be read.',
    )
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Two first starts at once end up with the same secret: whoever links first wins, both read that file. */
export async function writeSecretFile(dataDir: string, text: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const draft = join(dataDir, `.secret-${randomBytes(6).toString('hex')}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${text}\n`)
    await file.sync()
    await link(draft, secretFile(dataDir)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await file.close()
    await rm(draft, { force: true })
  }
}

export async function loadSecret(config: { secret: string | undefined; dataDir: string }): Promise<Secret> {
  if (config.secret !== undefined) return new Secret(config.secret)
  const found = await findSecretFile(config.dataDir)
  if (found !== undefined) return new Secret(found)
  await writeSecretFile(config.dataDir, randomBytes(32).toString('base64url'))
  const written = await findSecretFile(config.dataDir)
  if (written === undefined) throw new Error('the secret was written but cannot be read')
  return new Secret(written)
}
