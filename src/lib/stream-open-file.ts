import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'

const CHUNK_BYTES = 256 * 1024

/** Streams an open file from its beginning. Unlike a stream of `node:fs`, it never closes the file, so the file can be read again. */
export function streamOpenFile(file: FileHandle): Readable {
  return Readable.from(readChunks(file), { objectMode: false, highWaterMark: CHUNK_BYTES })
}

async function* readChunks(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
