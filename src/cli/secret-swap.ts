/**
 * Which secret goes with a restored database, and how it gets into the data folder.
 *
 * A database and its secret cannot change in the same instant, so a crash in between is thought of: a secret where there
 * was none is put there before the commit, as an empty place takes any. A secret that replaces another is only made ready
 * before the commit and renamed right after it. A crash between those two leaves a server that refuses to start with the
 * old secret, and restoring once more mends it. The old one is kept beside it: older backups may need it.
 */
import { randomBytes } from 'node:crypto'
import { chown, link, open, rename, rm, stat } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { findSecretFile, Secret, secretFile, writeSecretFile } from '../lib/secret.ts'
import { StartupError } from '../lib/startup-error.ts'
import { syncFolder } from './target-file.ts'

export interface SecretSwap {
  remark: string
  /** Before the commit. */
  prepare(): Promise<void>
  /** After the commit. */
  finish(): Promise<void>
  /** Instead of the commit. */
  undo(): Promise<void>
}

const unchanged: SecretSwap = { remark: '', prepare: async () => {}, finish: async () => {}, undo: async () => {} }

/** Throws, with nothing changed, where the restored database would be left without its secret. */
export async function planSecret(
  config: Pick<Config, 'secret' | 'dataDir'>,
  backup: { fingerprint: string | null; secret: string | undefined },
): Promise<SecretSwap> {
  const { fingerprint, secret } = backup
  if (fingerprint === null) return unchanged
  const matches = (text: string | undefined) => text !== undefined && new Secret(text).fingerprint === fingerprint
  if (config.secret !== undefined) {
    if (matches(config.secret)) return unchanged
    throw new StartupError(
      'BELFRY_SECRET is not the secret that this backup was made with.',
      secret === undefined
        ? 'Set BELFRY_SECRET to that one; without it stored secrets cannot be read.'
        : 'Set BELFRY_SECRET to that one, or unset it: the backup brings its secret along.',
    )
  }
  const present = await findSecretFile(config.dataDir)
  if (matches(present)) return unchanged
  if (secret === undefined || !matches(secret)) {
    throw new StartupError(
      'The backup does not hold the secret it was made with, and this server does not have it.',
      `Set BELFRY_SECRET to it, or put it into ${secretFile(config.dataDir)}.`,
    )
  }
  return present === undefined ? placeSecret(config.dataDir, secret) : replaceSecret(config.dataDir, secret)
}

function placeSecret(dataDir: string, secret: string): SecretSwap {
  const path = secretFile(dataDir)
  return {
    remark: `The backup's secret is now in ${path}.`,
    async prepare() {
      await writeSecretFile(dataDir, secret)
      await giveToOwnerOf(dataDir, path)
      await syncFolder(dataDir)
    },
    finish: async () => {},
    undo: () => rm(path, { force: true }),
  }
}

function replaceSecret(dataDir: string, secret: string): SecretSwap {
  const path = secretFile(dataDir)
  const mark = randomBytes(4).toString('hex')
  const draft = `${path}.${mark}.new`
  const old = `${path}.${mark}.old`
  return {
    remark: `The backup's secret is now in ${path}; the one before it is in ${old}.`,
    async prepare() {
      const file = await open(draft, 'wx', 0o600)
      try {
        await file.writeFile(`${secret}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await giveToOwnerOf(dataDir, draft)
      await link(path, old)
      await syncFolder(dataDir)
    },
    async finish() {
      await rename(draft, path).catch((error) => {
        throw new StartupError(
          `Everything is restored, but its secret could not be put into ${path}: ${error.message}.`,
          'Restore once more when that is mended; until then a server will not start.',
        )
      })
      await syncFolder(dataDir)
    },
    async undo() {
      await rm(draft, { force: true })
      await rm(old, { force: true })
    },
  }
}

/** Root may restore for a server that runs as somebody else. */
async function giveToOwnerOf(folder: string, path: string): Promise<void> {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = await stat(folder)
  await chown(path, uid, gid)
}
