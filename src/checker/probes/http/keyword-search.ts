/** Searches a response body for a keyword while it arrives, and stops reading as soon as the result is known. */
import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createDecoders } from './decoders.ts'

/** Limits both the received bytes and the decompressed bytes. */
const MAX_SEARCHED_BYTES = 1024 * 1024

/** `truncated`: the searched part does not contain the keyword, and the rest of the body was not read. */
export type KeywordSearchResult = 'found' | 'absent' | 'truncated' | 'undecodable'

/** Calls `done` once with the result. After `cancel`, `done` is not called. */
export function searchKeyword(
  response: IncomingMessage,
  keyword: string,
  done: (error: Error | undefined, result: KeywordSearchResult) => void,
): { cancel(): void } {
  const decoders = createDecoders(response.headers['content-encoding'])
  const search = new TextSearch(keyword, createTextDecoder(response.headers['content-type']))
  let isDone = false

  function finish(error: Error | undefined, result: KeywordSearchResult): void {
    if (isDone) return
    isDone = true
    for (const stream of [response, ...decoders]) stream.destroy()
    done(error, result)
  }

  response.on('error', (error) => finish(error, 'absent'))
  for (const decoder of decoders) decoder.on('error', () => finish(undefined, 'undecodable'))
  if (decoders.length > 0) limitReceivedBytes(response, () => finish(undefined, 'truncated'))
  const body = decoders.reduce<Readable>((source, decoder: Transform) => source.pipe(decoder), response)
  body.on('data', (chunk: Buffer) => {
    if (search.add(chunk)) finish(undefined, 'found')
    else if (search.isAtLimit) finish(undefined, 'truncated')
  })
  body.on('end', () => finish(undefined, search.end() ? 'found' : 'absent'))
  return {
    cancel() {
      isDone = true
      for (const decoder of decoders) decoder.destroy()
    },
  }
}

/** An endless compressed body can decompress to nothing, so limiting the decompressed size is not enough. */
function limitReceivedBytes(stream: Readable, onExceeded: () => void): void {
  let remaining = MAX_SEARCHED_BYTES
  stream.on('data', (chunk: Buffer) => {
    remaining -= chunk.length
    if (remaining < 0) onExceeded()
  })
}

class TextSearch {
  readonly #keyword: string
  readonly #decoder: TextDecoder
  /** The last characters of the previous chunk, which may be the start of the keyword. */
  #tail = ''
  #remainingBytes = MAX_SEARCHED_BYTES

  constructor(keyword: string, decoder: TextDecoder) {
    this.#keyword = keyword
    this.#decoder = decoder
  }

  get isAtLimit(): boolean {
    return this.#remainingBytes === 0
  }

  /** Returns whether the keyword has been found. */
  add(chunk: Buffer): boolean {
    const bytes = chunk.subarray(0, this.#remainingBytes)
    this.#remainingBytes -= bytes.length
    return this.#search(this.#decoder.decode(bytes, { stream: true }))
  }

  end(): boolean {
    return this.#search(this.#decoder.decode())
  }

  #search(next: string): boolean {
    const text = this.#tail + next
    if (text.includes(this.#keyword)) return true
    this.#tail = text.slice(Math.max(0, text.length - this.#keyword.length + 1))
    return false
  }
}

function createTextDecoder(contentType = ''): TextDecoder {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? []
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
