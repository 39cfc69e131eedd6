/** Opens a backup file. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { formatCommand } from '../lib/program.ts'
import { StartupError } from '../lib/startup-error.ts'
import { damagedBackupError } from '../storage/backup/format.ts'

/** Chunks are large, because zlib decompresses each one in another thread, and handing it over takes time. */
const CHUNK_BYTES = 256 * 1024

export async function requireFile(path: string): Promise<void> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (!(stats instanceof Error) && stats.isFile()) return
  const reason = stats instanceof Error && stats.code !== 'ENOENT' ? stats.message : 'there is no such file'
  throw new StartupError(`Can't read ${path}: ${reason}.`, `Use a file created by \`${formatCommand('backup')}\`.`)
}

/** Streams the decompressed text of a backup. */
export async function* readBackup(path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  let hasData = false
  // The loop below reports the errors of both streams.
  pipeline(createReadStream(path, { highWaterMark: CHUNK_BYTES }), gunzip, () => {})
  try {
    for await (const chunk of gunzip) {
      hasData = true
      yield chunk
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!code?.startsWith('Z_')) throw error
    if (!hasData && code === 'Z_DATA_ERROR' && message.includes('header')) {
      throw new StartupError(`${path} is not a Belfry backup.`, `Use a file created by \`${formatCommand('backup')}\`.`)
    }
    throw damagedBackupError(code === 'Z_BUF_ERROR' ? 'it ends too early' : `it can't be decompressed (${message})`, {
      cause: error,
    })
  }
}
