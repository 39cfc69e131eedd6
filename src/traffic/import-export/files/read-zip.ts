/** The files in a .zip, as far as downloads of statistics need it: stored or deflated, not encrypted, below 4 GB. */
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import { Problem } from '../../../lib/problem.ts'

export interface ZipEntry {
  name: string
  /** In the file, packed. */
  bytes: number
  read(onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array>
}

interface Directory {
  entries: number
  offset: number
  bytes: number
}

const END_BYTES = 22
/** Behind the end record there may be a comment of 16 bits' length. */
const END_MOST = END_BYTES + 0xffff
const END_MARK = 0x06054b50
const ENTRY_MARK = 0x02014b50
const LOCAL_MARK = 0x04034b50
const LOCAL_BYTES = 30
/** More than any download has; it is kept in memory. */
const DIRECTORY_MOST = 10_000_000
const STORED = 0
const DEFLATED = 8
const IS_ENCRYPTED = 1
const IS_UTF8 = 0x800

export async function listZip(path: string): Promise<ZipEntry[]> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const directory = await findDirectory(file, size, path)
    const table = await readAt(file, directory.offset, directory.bytes, path)
    return readEntries(table, directory, path)
  } finally {
    await file.close()
  }
}

async function findDirectory(file: FileHandle, size: number, path: string): Promise<Directory> {
  const tail = await readAt(file, Math.max(0, size - END_MOST), Math.min(size, END_MOST), path)
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_MARK) continue
    const directory = {
      entries: tail.readUInt16LE(at + 10),
      bytes: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    }
    if (directory.entries === 0xffff || directory.offset === 0xffffffff || directory.bytes === 0xffffffff)
      throw zip64(path)
    if (directory.bytes > DIRECTORY_MOST || directory.offset + directory.bytes > size) throw damaged(path)
    return directory
  }
  throw new Problem('validation_failed', `${path} is no zip file, or it ends too early.`)
}

function readEntries(table: Buffer, { entries }: Directory, path: string): ZipEntry[] {
  const found: ZipEntry[] = []
  let at = 0
  for (let n = 0; n < entries; n++) {
    if (at + 46 > table.length || table.readUInt32LE(at) !== ENTRY_MARK) throw damaged(path)
    const nameBytes = table.readUInt16LE(at + 28)
    const flags = table.readUInt16LE(at + 8)
    const name = table.subarray(at + 46, at + 46 + nameBytes).toString(flags & IS_UTF8 ? 'utf8' : 'latin1')
    const packed: Packed = {
      path,
      name,
      flags,
      method: table.readUInt16LE(at + 10),
      checksum: table.readUInt32LE(at + 16),
      bytes: table.readUInt32LE(at + 20),
      size: table.readUInt32LE(at + 24),
      offset: table.readUInt32LE(at + 42),
    }
    at += 46 + nameBytes + table.readUInt16LE(at + 30) + table.readUInt16LE(at + 32)
    if (packed.bytes === 0xffffffff || packed.size === 0xffffffff || packed.offset === 0xffffffff) throw zip64(path)
    if (!name.endsWith('/')) found.push({ name, bytes: packed.bytes, read: (onBytes) => unpack(packed, onBytes) })
  }
  return found
}

interface Packed {
  path: string
  name: string
  flags: number
  method: number
  checksum: number
  bytes: number
  size: number
  offset: number
}

async function* unpack(packed: Packed, onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const { path, name, method, bytes, flags } = packed
  if (flags & IS_ENCRYPTED) throw new Problem('validation_failed', `${name} in ${path} is encrypted.`)
  if (method !== STORED && method !== DEFLATED) {
    throw new Problem('validation_failed', `${name} in ${path} is packed in a way that Belfry does not know.`)
  }
  const start = await findContent(packed)
  if (bytes === 0) return check(packed, 0, 0)
  const raw = createReadStream(path, { start, end: start + bytes - 1 }).on('data', ({ length }) => onBytes(length))
  const pieces = method === STORED ? raw : raw.pipe(createInflateRaw())
  if (pieces !== raw) raw.on('error', (error) => pieces.destroy(error))
  let checksum = 0
  let size = 0
  try {
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      checksum = crc32(piece, checksum)
      size += piece.length
      yield piece
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code?.startsWith('Z_') ? damaged(`${name} in ${path}`, error) : error
  } finally {
    raw.destroy()
  }
  check(packed, checksum, size)
}

/** What stands before it is written once more there, and may be longer than in the directory. */
async function findContent({ path, offset }: Packed): Promise<number> {
  const file = await open(path)
  try {
    const header = await readAt(file, offset, LOCAL_BYTES, path)
    if (header.readUInt32LE(0) !== LOCAL_MARK) throw damaged(path)
    return offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
  } finally {
    await file.close()
  }
}

function check({ path, name, checksum, size }: Packed, actual: number, bytes: number): void {
  if (actual !== checksum || bytes !== size) throw damaged(`${name} in ${path}`)
}

async function readAt(file: FileHandle, position: number, length: number, path: string): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  if (bytesRead < length) throw damaged(path)
  return buffer
}

function damaged(what: string, cause?: unknown): Problem {
  return new Problem('validation_failed', `${what} is damaged.`, { cause })
}

function zip64(path: string): Problem {
  return new Problem(
    'validation_failed',
    `${path} is a zip file of the large kind (zip64). Unpack it, and give the folder.`,
  )
}
