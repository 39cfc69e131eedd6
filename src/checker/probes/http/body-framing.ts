/** Finds out where the body of a response ends. */
import { ChunkedFraming } from './chunked-framing.ts'
import type { ResponseHead } from './response-head.ts'

export interface BodyFraming {
  /** Whether the body ends when the server closes the connection. */
  readonly endsWithConnection: boolean
  /**
   * Passes the body's part of `bytes` to `onBody`, without anything that belongs to the framing or comes after the body. Returns
   * whether the body is complete. Throws `InvalidResponse`.
   */
  read(bytes: Buffer, onBody: (part: Buffer) => void): boolean
}

/** Returns undefined if the response has no body. `method` is that of the request. */
export function findBodyFraming(head: ResponseHead, method: string): BodyFraming | undefined {
  const { status, transferEncoding, contentLength } = head
  if (method === 'HEAD' || status === 101 || status === 204 || status === 304) return undefined
  if (transferEncoding !== undefined) return isChunked(transferEncoding) ? new ChunkedFraming() : untilClosed
  if (contentLength === undefined) return untilClosed
  const length = Number(contentLength)
  return length === 0 ? undefined : new LengthFraming(length)
}

/** The last encoding tells how the body ends. */
function isChunked(transferEncoding: string): boolean {
  const lastCommaPosition = transferEncoding.lastIndexOf(',')
  return (
    transferEncoding
      .slice(lastCommaPosition + 1)
      .trim()
      .toLowerCase() === 'chunked'
  )
}

const untilClosed: BodyFraming = {
  endsWithConnection: true,
  read(bytes, onBody) {
    onBody(bytes)
    return false
  },
}

class LengthFraming implements BodyFraming {
  readonly endsWithConnection = false
  #missingBytes: number

  constructor(length: number) {
    this.#missingBytes = length
  }

  read(bytes: Buffer, onBody: (part: Buffer) => void): boolean {
    const part = bytes.length > this.#missingBytes ? bytes.subarray(0, this.#missingBytes) : bytes
    this.#missingBytes -= part.length
    onBody(part)
    return this.#missingBytes === 0
  }
}
