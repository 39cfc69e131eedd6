/** Reads the body of a request that bypasses Fastify's body parsers. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Problem } from '../lib/problem.ts'
import { MAX_BODY_BYTES } from './body-parser.ts'

const tooLarge = () => new Problem('too_large', 'The body is larger than 1 MiB.')

export function readWholeBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length']) > MAX_BODY_BYTES) return reject(tooLarge())
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= MAX_BODY_BYTES) return chunks.push(chunk)
      chunks.length = 0
      return reject(tooLarge())
    })
    request.on('end', () => resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()))
    request.on('error', reject)
    return undefined
  })
}

/** Reads a body of any length, and returns its first `maxBytes` as text. Bytes that are not valid UTF-8 become U+FFFD. */
export function readBodyStart(body: Readable, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    body.on('data', (chunk: Buffer) => {
      if (length < maxBytes) chunks.push(chunk.subarray(0, maxBytes - length))
      length += chunk.length
    })
    // With `stream`, the decoder leaves out a character that is cut at the end.
    body.on('end', () =>
      resolve(length === 0 ? '' : new TextDecoder().decode(Buffer.concat(chunks), { stream: length > maxBytes })),
    )
    body.on('error', reject)
  })
}
