/** What was given to import, as a list of files: one, those in a folder, or those in a .zip; packed by gzip or plain. */
import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { Problem } from '../../../lib/problem.ts'
import { listZip } from './read-zip.ts'

export type OnBytes = (bytes: number) => void

export interface ImportFile {
  name: string
  /** On disk, packed as it may be; `onBytes` adds up to it. */
  bytes: number
  read(onBytes: OnBytes): AsyncIterable<Uint8Array>
}

const PIECE_BYTES = 256 * 1024
const isCsv = (name: string) => /\.csv(\.gz)?$/i.test(name)
/** What macOS leaves in folders and archives. */
const isHidden = (name: string) => /(^|\/)(\._|__MACOSX\/)/.test(name)

export async function findImportFiles(path: string): Promise<ImportFile[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error)
  if (found instanceof Error) {
    const reason = found.code === 'ENOENT' ? 'there is no such file or folder' : found.message
    throw new Problem('not_found', `${path} cannot be read: ${reason}.`)
  }
  if (found.isDirectory()) return requireSome(path, await listFolder(path))
  if ((await firstBytes(path)) === 'PK\x03\x04') return requireSome(path, await listArchive(path))
  return [await fileInput(path)]
}

async function listFolder(path: string): Promise<ImportFile[]> {
  const names = (await readdir(path)).filter((name) => isCsv(name) && !isHidden(name)).sort()
  return Promise.all(names.map((name) => fileInput(join(path, name))))
}

async function listArchive(path: string): Promise<ImportFile[]> {
  const entries = await listZip(path)
  return entries.filter(({ name }) => isCsv(name) && !isHidden(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
}

function requireSome(path: string, inputs: ImportFile[]): ImportFile[] {
  if (inputs.length === 0) throw new Problem('not_found', `There is no CSV file in ${path}.`)
  return inputs
}

async function fileInput(path: string): Promise<ImportFile> {
  const isPacked = (await firstBytes(path)).startsWith('\x1f\x8b')
  const { size } = await stat(path)
  return { name: basename(path), bytes: size, read: (onBytes) => readFile(path, isPacked, onBytes) }
}

async function firstBytes(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

async function* readFile(path: string, isPacked: boolean, onBytes: OnBytes): AsyncGenerator<Uint8Array> {
  const raw = createReadStream(path, { highWaterMark: PIECE_BYTES })
  raw.on('data', ({ length }) => onBytes(length))
  const pieces = isPacked ? raw.pipe(createGunzip({ chunkSize: PIECE_BYTES })) : raw
  if (isPacked) raw.on('error', (error) => pieces.destroy(error))
  try {
    yield* pieces as AsyncIterable<Buffer>
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error
    throw new Problem('validation_failed', `${path} is damaged: it cannot be unpacked to its end.`, { cause: error })
  } finally {
    raw.destroy()
  }
}
