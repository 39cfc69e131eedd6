/** Lists and reads the files in a ZIP archive with yauzl. This file checks the checksums, because yauzl does not. */
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl'
import { Problem } from '../../../lib/problem.ts'
import type { ImportFile, OnBytes } from './input-files.ts'

/** An export has ten files. The list of entries is held in memory, so a hostile archive must not make it grow. */
const MAX_ENTRIES = 10_000

/** Compression methods of the ZIP format. */
const STORED = 0
const DEFLATED = 8

export async function listZip(path: string, file: FileHandle): Promise<ImportFile[]> {
  const zip = await openZip(path, file)
  try {
    if (zip.entryCount > MAX_ENTRIES) {
      throw new Problem('validation_failed', `${path} has more than ${MAX_ENTRIES} files.`)
    }
    const files: ImportFile[] = []
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue
      const read = (onBytes: OnBytes) => readEntry({ path, file }, entry, onBytes)
      files.push({ name: entry.fileName, bytes: entry.compressedSize, read })
    }
    return files
  } catch (error) {
    throw toProblem(error, path)
  }
}

/** The caller must not close the ZipFile: that would close `file`, which is read again. */
async function openZip(path: string, file: FileHandle): Promise<ZipFile> {
  try {
    return await fromFdPromise(file.fd, { lazyEntries: true, autoClose: false })
  } catch (error) {
    if (isSystemError(error)) throw error
    throw new Problem('validation_failed', `${path} is not a ZIP file, or it is truncated.`, { cause: error })
  }
}

async function* readEntry(
  { path, file }: { path: string; file: FileHandle },
  entry: Entry,
  onBytes: OnBytes,
): AsyncGenerator<Uint8Array> {
  const label = `${entry.fileName} in ${path}`
  if (entry.isEncrypted()) throw new Problem('validation_failed', `${label} is encrypted.`)
  const { compressionMethod } = entry
  if (compressionMethod !== STORED && compressionMethod !== DEFLATED) {
    throw new Problem('validation_failed', `${label} uses a compression method that Belfry does not support.`)
  }
  const zip = await openZip(path, file)
  let compressedStream: Readable | undefined
  let checksum = 0
  let size = 0
  try {
    compressedStream = await zip.openReadStreamPromise(entry, { decodeFileData: false })
    compressedStream.on('data', ({ length }: Buffer) => onBytes(length))
    const chunks = compressionMethod === STORED ? compressedStream : compressedStream.pipe(createInflateRaw())
    if (chunks !== compressedStream) compressedStream.on('error', (error) => chunks.destroy(error))
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      checksum = crc32(chunk, checksum)
      size += chunk.length
      if (size > entry.uncompressedSize) throw damagedProblem(label)
      // An archive of 3 MB may unpack to 3 GB. The caller gets one chunk at a time, so it can stop early: the CSV reader stops
      // at the first line that is too long. With such an archive, that takes 0.1 s and 116 MB of memory.
      yield chunk
    }
  } catch (error) {
    throw toProblem(error, label)
  } finally {
    compressedStream?.destroy()
  }
  if (checksum !== entry.crc32 || size !== entry.uncompressedSize) throw damagedProblem(label)
}

function toProblem(error: unknown, label: string): unknown {
  return error instanceof Problem || isSystemError(error) ? error : damagedProblem(label, error)
}

/** Whether the file could not be read. Errors of zlib have codes, too, but mean that the contents are damaged. */
function isSystemError(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code !== undefined && !code.startsWith('Z_')
}

function damagedProblem(label: string, cause?: unknown): Problem {
  return new Problem('validation_failed', `${label} is damaged.`, { cause })
}
