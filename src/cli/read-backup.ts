import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { StartupError } from '../lib/startup-error.ts'
import { damaged } from '../storage/backup/format.ts'

/** Fewer, larger pieces: each costs a round trip to another thread. */
const PIECE_BYTES = 256 * 1024

export async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (!(found instanceof Error) && found.isFile()) return
  const reason = found instanceof Error && found.code !== 'ENOENT' ? found.message : 'there is no such file'
  throw new StartupError(
    `${path} cannot be read: ${reason}.`,
    'Give the file that `npm run belfry -- backup` has made.',
  )
}

/** The text of a backup, unpacked piece by piece. */
export async function* readBackup(path: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES })
  let started = false
  // Errors of either arrive where the pieces are read.
  pipeline(createReadStream(path, { highWaterMark: PIECE_BYTES }), gunzip, () => {})
  try {
    for await (const piece of gunzip) {
      started = true
      yield piece
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!code?.startsWith('Z_')) throw error
    if (!started && code === 'Z_DATA_ERROR' && message.includes('header')) {
      throw new StartupError(
        `${path} is no backup of Belfry.`,
        'Give the file that `npm run belfry -- backup` has made.',
      )
    }
    throw damaged(code === 'Z_BUF_ERROR' ? 'it ends too early' : `it cannot be unpacked (${message})`, { cause: error })
  }
}
