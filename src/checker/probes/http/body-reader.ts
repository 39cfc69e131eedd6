/** Decompresses the body of a response. Stops at a limit, because a body may be endless. */
import type { Transform } from 'node:stream'
import { createFailure } from '../failure.ts'
import type { CheckFailure } from '../probe.ts'
import { findBodyEncoding } from './body-encoding.ts'
import { InvalidResponse } from './invalid-response.ts'
import type { ResponseHead } from './response-head.ts'

/** Limits both the received bytes and the decompressed bytes, because an endless compressed body can decompress to nothing. */
const MAX_BODY_BYTES = 1024 * 1024

interface BodyCallbacks {
  /** Called with the decompressed body, at most `MAX_BODY_BYTES` in total. undefined if nobody needs the content. */
  onData: ((chunk: Buffer) => void) | undefined
  /** Called once after all data. `isTruncated`: the body is longer than the limit, and the rest was not read. */
  onEnd(isTruncated: boolean): void
  onFailure(failure: CheckFailure): void
}

export interface BodyReader {
  /** `part` is not empty. */
  add(part: Buffer): void
  /** Call this when the body is complete. */
  end(): void
  /** Call this when the rest of the body is not valid or will not arrive. */
  fail(error: Error): void
  /** After this, no callback is called. */
  cancel(): void
}

export function createBodyReader(head: ResponseHead, { onData, onEnd, onFailure }: BodyCallbacks): BodyReader {
  const encoding = findBodyEncoding(head.contentEncoding)
  let decoder: Transform | undefined
  let [receivedBytes, decodedBytes] = [0, 0]
  let isDone = false

  function finish(report: () => void): void {
    if (isDone) return
    isDone = true
    decoder?.destroy()
    report()
  }

  function handleDecoded(chunk: Buffer): void {
    if (isDone) return
    const remainingBytes = MAX_BODY_BYTES - decodedBytes
    decodedBytes += chunk.length
    onData?.(chunk.length > remainingBytes ? chunk.subarray(0, remainingBytes) : chunk)
    if (decodedBytes > MAX_BODY_BYTES) finish(() => onEnd(true))
  }

  function openDecoder(firstByte: number): Transform | undefined {
    const newDecoder = encoding?.createDecoder(firstByte)
    newDecoder?.on('data', handleDecoded)
    newDecoder?.on('end', () => finish(() => onEnd(false)))
    newDecoder?.on('error', () =>
      finish(() => onFailure(createFailure('body', `Response body is not valid ${encoding?.name} data`))),
    )
    return newDecoder
  }

  return {
    add(part) {
      if (isDone) return
      if (receivedBytes === 0) decoder = openDecoder(part[0] as number)
      receivedBytes += part.length
      if (decoder === undefined) handleDecoded(part)
      else if (receivedBytes > MAX_BODY_BYTES) finish(() => onEnd(true))
      else decoder.write(part)
    },
    end() {
      if (decoder === undefined) finish(() => onEnd(false))
      else if (!isDone) decoder.end()
    },
    fail: (error) => finish(() => onFailure(createBodyFailure(error, head, receivedBytes))),
    cancel: () => finish(() => {}),
  }
}

function createBodyFailure(error: Error, { contentLength }: ResponseHead, receivedBytes: number): CheckFailure {
  if (error instanceof InvalidResponse) {
    return createFailure('body', `Response body is not valid HTTP (${error.code})`)
  }
  if (contentLength === undefined) return createFailure('body', 'Connection closed before the end of the response body')
  return createFailure('body', `Response body ended after ${receivedBytes} of ${contentLength} bytes`)
}
