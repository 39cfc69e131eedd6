/**
 * The files to import: a single file, all files in a folder, or all files in a ZIP archive. Each may be compressed with
 * gzip.
 */
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { crc32, createGunzip, createInflateRaw } from 'node:zlib'
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl'
import { Problem } from '../../../lib/problem.ts'
import { streamOpenFile } from '../../../lib/stream-open-file.ts'

/** Called with the number of bytes that were read from disk since the last call. */
export type OnBytes = (bytes: number) => void

export interface ImportFile {
  name: string
  /** Size on disk: the compressed size of a compressed file. */
  bytes: number
  read(onBytes: OnBytes): AsyncIterable<Uint8Array>
}

/** Files that stay open, so that they can be read after this process has lost the right to open them. */
export interface OpenImportFiles {
  files: ImportFile[]
  close(): Promise<void>
}

const CHUNK_BYTES = 256 * 1024
const ZIP_SIGNATURE = 'PK\x03\x04'
const GZIP_SIGNATURE = '\x1f\x8b'
const isCsv = (name: string) => /\.csv(\.gz)?$/i.test(name)
/** Files that macOS adds to folders and archives. */
const isMacMetadata = (name: string) => /(^|\/)(\._|__MACOSX\/)/.test(name)

export async function openImportFiles(path: string): Promise<OpenImportFiles> {
  const handles: FileHandle[] = []
  const close = async () => {
    for (const handle of handles) await handle.close()
  }
  const openFile = async (filePath: string) => {
    // With O_NONBLOCK, a pipe with nobody at its other end doesn't block.
    const handle = await open(filePath, constants.O_RDONLY | constants.O_NONBLOCK)
    handles.push(handle)
    return handle
  }
  try {
    return { files: await findImportFiles(path, openFile), close }
  } catch (error) {
    await close()
    throw error
  }
}

type OpenFile = (path: string) => Promise<FileHandle>

async function findImportFiles(path: string, openFile: OpenFile): Promise<ImportFile[]> {
  const statsOrError = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (statsOrError instanceof Error) {
    const reason = statsOrError.code === 'ENOENT' ? 'no such file or folder' : statsOrError.message
    throw new Problem('not_found', `Cannot read ${path}: ${reason}.`)
  }
  if (statsOrError.isDirectory()) return requireFiles(path, await listFolder(path, openFile))
  const file = await openFile(path)
  if ((await readSignature(file)) === ZIP_SIGNATURE) return requireFiles(path, await listArchive(path, file))
  return [await toImportFile(path, file)]
}

async function listFolder(path: string, openFile: OpenFile): Promise<ImportFile[]> {
  const names = (await readdir(path)).filter((name) => isCsv(name) && !isMacMetadata(name)).sort()
  return Promise.all(names.map(async (name) => toImportFile(join(path, name), await openFile(join(path, name)))))
}

async function listArchive(path: string, file: FileHandle): Promise<ImportFile[]> {
  const files = await listZip(path, file)
  return files.filter(({ name }) => isCsv(name) && !isMacMetadata(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

function requireFiles(path: string, files: ImportFile[]): ImportFile[] {
  if (files.length === 0) throw new Problem('not_found', `There is no CSV file in ${path}.`)
  return files
}

async function toImportFile(path: string, file: FileHandle): Promise<ImportFile> {
  const isCompressed = (await readSignature(file)).startsWith(GZIP_SIGNATURE)
  const { size } = await file.stat()
  return { name: basename(path), bytes: size, read: (onBytes) => readFile({ path, file, isCompressed }, onBytes) }
}

async function readSignature(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
  return buffer.toString('latin1', 0, bytesRead)
}

async function* readFile(
  { path, file, isCompressed }: { path: string; file: FileHandle; isCompressed: boolean },
  onBytes: OnBytes,
): AsyncGenerator<Uint8Array> {
  const raw = streamOpenFile(file)
  raw.on('data', ({ length }) => onBytes(length))
  const chunks = isCompressed ? raw.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : raw
  if (isCompressed) raw.on('error', (error) => chunks.destroy(error))
  try {
    yield* chunks as AsyncIterable<Buffer>
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error
    throw new Problem('validation_failed', `${path} is damaged and cannot be decompressed.`, { cause: error })
  } finally {
    raw.destroy()
  }
}

/** An export has ten files. The list of entries is held in memory, so a hostile archive must not make it grow without limit. */
const MAX_ZIP_ENTRIES = 10_000

/** Compression methods of the ZIP format. */
const STORED = 0
const DEFLATED = 8

async function listZip(path: string, file: FileHandle): Promise<ImportFile[]> {
  const zip = await openZip(path, file)
  try {
    if (zip.entryCount > MAX_ZIP_ENTRIES) {
      throw new Problem('validation_failed', `${path} has more than ${MAX_ZIP_ENTRIES} files.`)
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
      // An archive of 3 MB may unpack to 3 GB. The caller gets one chunk at a time, so it can stop early: the CSV
      // reader stops at the first line that is too long. It rejects such an archive after 0.1 s, with 116 MB of memory.
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
