/** Reads the configuration file and the secret files. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** All settings together need far less. Without a limit, a wrong path such as /dev/zero would fill the memory. */
const MAX_KILOBYTES = 64
const MAX_BYTES = MAX_KILOBYTES * 1_000

const reasons: Record<string, string> = {
  ENOENT: "doesn't exist",
  ENOTDIR: "doesn't exist",
  EACCES: "can't be read by this user",
  EPERM: "can't be read by this user",
  EISDIR: 'is a folder',
  ELOOP: 'is a link that leads to itself',
}

export interface TextFile {
  text: string
  /** Whether every user of this machine can read the file. */
  isPublic: boolean
}

/** Throws an Error whose message follows the path, for example "is a folder". */
export function readTextFile(path: string): TextFile {
  const { bytes, mode } = readBytes(path, MAX_BYTES + 1)
  if (bytes.length > MAX_BYTES) throw new Error(`is larger than ${MAX_KILOBYTES} kB`)
  try {
    // This also removes a byte order mark.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { text, isPublic: (mode & 0o004) !== 0 }
  } catch {
    throw new Error('is not UTF-8 text')
  }
}

function readBytes(path: string, maxBytes: number): { bytes: Uint8Array; mode: number } {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, 'r')
    const { mode } = fstatSync(descriptor)
    const buffer = new Uint8Array(maxBytes)
    let length = 0
    // A pipe returns its content in parts.
    for (;;) {
      const readLength = readSync(descriptor, buffer, length, maxBytes - length, null)
      length += readLength
      if (readLength === 0 || length === maxBytes) return { bytes: buffer.subarray(0, length), mode }
    }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    throw new Error(reasons[code] ?? `can't be read (${code})`, { cause: error })
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
