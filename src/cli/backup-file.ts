/** Opens a backup file and decompresses it. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { formatCommand } from '../lib/program.ts'
import { StartupError } from '../lib/startup-error.ts'
import { streamOpenFile } from '../lib/stream-open-file.ts'
import { damagedBackupError } from '../storage/backup/format.ts'

/** Large chunks save time, because zlib hands each one over to another thread. */
const CHUNK_BYTES = 256 * 1024

/** A backup file that stays open, so that it can be read again after this process has lost the right to open it. */
export class BackupFile {
  readonly path: string
  readonly #file: FileHandle

  static async open(path: string): Promise<BackupFile> {
    // With O_NONBLOCK, opening a named pipe that no process writes to doesn't block.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
      throw unreadableError(path, error.code === 'ENOENT' ? NO_FILE : error.message)
    })
    if ((await file.stat()).isFile()) return new BackupFile(path, file)
    await file.close()
    throw unreadableError(path, NO_FILE)
  }

  private constructor(path: string, file: FileHandle) {
    this.path = path
    this.#file = file
  }

  /** Streams the decompressed text, from the beginning. */
  read(): AsyncGenerator<Buffer> {
    return decompress(this.path, streamOpenFile(this.#file))
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

const NO_FILE = 'there is no such file'

function unreadableError(path: string, reason: string): StartupError {
  return new StartupError(`Can't read ${path}: ${reason}.`, `Use a file created by \`${formatCommand('backup')}\`.`)
}

async function* decompress(path: string, file: Readable): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  let hasData = false
  // The loop below reports the errors of both streams.
  pipeline(file, gunzip, () => {})
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
