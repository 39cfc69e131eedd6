/**
 * Installs the secret of a restored database in the data folder.
 *
 * The database and the secret can't change in one atomic step, so the order matters. If there is no secret yet, the new one
 * is written before the commit. If it replaces another secret, it is written to a temporary file before the commit and
 * renamed after the commit. After a crash in between, the server refuses to start with the old secret, and running the restore
 * again fixes that. A file beside the new secret keeps the old one, because older backups may need it.
 */
import { randomBytes } from 'node:crypto'
import { link, open, rename, rm } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { syncFolder } from '../lib/atomic-file.ts'
import { findStoredSecret, Secret, secretPath, storeSecret } from '../lib/secret.ts'
import { StartupError } from '../lib/startup-error.ts'

export interface SecretSwap {
  remark: string
  /** Call it before the commit. */
  prepare(): Promise<void>
  /** Call it after the commit. */
  finish(): Promise<void>
  /** Call it if the commit fails or doesn't happen. */
  undo(): Promise<void>
}

const noSwap: SecretSwap = { remark: '', prepare: async () => {}, finish: async () => {}, undo: async () => {} }

/** Throws, without changing anything, if the restored database would be left without its secret. */
export async function planSecretSwap(
  config: Pick<Config, 'secret' | 'dataDir'>,
  backup: { fingerprint: string | null; secret: string | undefined },
): Promise<SecretSwap> {
  const { fingerprint, secret } = backup
  if (fingerprint === null) return noSwap
  const isBackupSecret = (text: string | undefined) =>
    text !== undefined && new Secret(text).fingerprint === fingerprint
  if (config.secret !== undefined) {
    if (isBackupSecret(config.secret)) return noSwap
    throw new StartupError(
      'BELFRY_SECRET is not the secret that this backup was created with.',
      secret === undefined
        ? "Set BELFRY_SECRET to that secret. Without it, stored credentials can't be decrypted."
        : 'Set BELFRY_SECRET to that secret, or unset it: the backup includes its secret.',
    )
  }
  const currentSecret = await findStoredSecret(config.dataDir)
  if (isBackupSecret(currentSecret)) return noSwap
  if (secret === undefined || !isBackupSecret(secret)) {
    throw new StartupError(
      "The backup doesn't include the secret it was created with, and this server doesn't have it.",
      `Set BELFRY_SECRET to that secret, or save it in ${secretPath(config.dataDir)}.`,
    )
  }
  return currentSecret === undefined ? addFirstSecret(config.dataDir, secret) : replaceSecret(config.dataDir, secret)
}

function addFirstSecret(dataDir: string, secret: string): SecretSwap {
  const path = secretPath(dataDir)
  return {
    remark: `The backup's secret is now in ${path}.`,
    async prepare() {
      await storeSecret(dataDir, secret)
      await syncFolder(dataDir)
    },
    finish: async () => {},
    undo: () => rm(path, { force: true }),
  }
}

function replaceSecret(dataDir: string, secret: string): SecretSwap {
  const path = secretPath(dataDir)
  const suffix = randomBytes(4).toString('hex')
  const newPath = `${path}.${suffix}.new`
  const oldPath = `${path}.${suffix}.old`
  return {
    remark: `The backup's secret is now in ${path}; the previous one is in ${oldPath}.`,
    async prepare() {
      const file = await open(newPath, 'wx', 0o600)
      try {
        await file.writeFile(`${secret}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await link(path, oldPath)
      await syncFolder(dataDir)
    },
    async finish() {
      await rename(newPath, path).catch((error) => {
        throw new StartupError(
          `The data was restored, but its secret could not be saved in ${path}: ${error.message}.`,
          'Fix that and run the restore again. Until then a server will not start.',
        )
      })
      await syncFolder(dataDir)
    },
    async undo() {
      await rm(newPath, { force: true })
      await rm(oldPath, { force: true })
    },
  }
}
