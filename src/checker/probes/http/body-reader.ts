/** Reads and decompresses the body of a response. Stops at a limit, because a body may be endless. */
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createFailure } from '../failure.ts'
import type { CheckFailure } from '../probe.ts'
import { findBodyEncoding } from './body-encoding.ts'

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
  /** Ends the reader because of an error of Node's HTTP client, such as an invalid chunk. */
  fail(error: Error): void
  /** After this, no callback is called. */
  cancel(): void
}

export function readBody(response: IncomingMessage, { onData, onEnd, onFailure }: BodyCallbacks): BodyReader {
  const encoding = findBodyEncoding(response.headers['content-encoding'])
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

  function handleReceived(chunk: Buffer): void {
    if (isDone) return
    if (receivedBytes === 0) decoder = openDecoder(chunk[0] as number)
    receivedBytes += chunk.length
    if (decoder === undefined) handleDecoded(chunk)
    else if (receivedBytes > MAX_BODY_BYTES) finish(() => onEnd(true))
    else decoder.write(chunk)
  }

  function handleEnd(): void {
    if (decoder === undefined) finish(() => onEnd(false))
    else if (!isDone) decoder.end()
  }

  const fail = (error: NodeJS.ErrnoException) =>
    finish(() => onFailure(createBodyFailure(error, response, receivedBytes)))

  function listen(): void {
    response.on('data', handleReceived)
    response.on('end', handleEnd)
    response.on('error', fail)
  }

  // Most bodies arrive together with their headers, and Node's parser has verified them by the next tick. If nobody
  // needs the content, don't read the stream: that would take a tenth of the CPU time of a check.
  if (onData === undefined && encoding === undefined)
    process.nextTick(() => (response.complete ? finish(() => onEnd(false)) : listen()))
  else listen()
  return {
    fail(error) {
      // Some servers send more bytes than they announced, such as a body after status 204. Browsers ignore these bytes, too.
      if (!response.complete) fail(error)
    },
    cancel: () => finish(() => {}),
  }
}

function createBodyFailure(
  { code = '' }: NodeJS.ErrnoException,
  { headers }: IncomingMessage,
  receivedBytes: number,
): CheckFailure {
  if (code.startsWith('HPE_')) return createFailure('body', `Response body is not valid HTTP (${code})`)
  const length = headers['content-length']
  if (length === undefined) return createFailure('body', 'Connection closed before the end of the response body')
  return createFailure('body', `Response body ended after ${receivedBytes} of ${length} bytes`)
}
