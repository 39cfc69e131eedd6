/** Looks for a text in an answer as it arrives, and never reads on once it is known. */
import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { decodersOf } from './decoders.ts'

/** Of what came over the network as well as of what it unpacks to. */
const MOST_BYTES = 1024 * 1024

/** 'cut': not in the first MiB, and there is more. 'garbled': it cannot be unpacked. */
export type Found = 'found' | 'absent' | 'cut' | 'garbled'

/** Reports once. After `giveUp`, never. */
export function searchBody(
  response: IncomingMessage,
  text: string,
  done: (error: Error | undefined, found: Found) => void,
): { giveUp(): void } {
  const decoders = decodersOf(response.headers['content-encoding'])
  const search = new TextSearch(text, charsetOf(response.headers['content-type']))
  let isDone = false

  function finish(error: Error | undefined, found: Found): void {
    if (isDone) return
    isDone = true
    for (const stream of [response, ...decoders]) stream.destroy()
    done(error, found)
  }

  response.on('error', (error) => finish(error, 'absent'))
  for (const decoder of decoders) decoder.on('error', () => finish(undefined, 'garbled'))
  if (decoders.length > 0) limit(response, () => finish(undefined, 'cut'))
  const body = decoders.reduce<Readable>((source, decoder: Transform) => source.pipe(decoder), response)
  body.on('data', (chunk: Buffer) => {
    if (search.take(chunk)) finish(undefined, 'found')
    else if (search.isFull) finish(undefined, 'cut')
  })
  body.on('end', () => finish(undefined, search.end() ? 'found' : 'absent'))
  return {
    giveUp() {
      isDone = true
      for (const decoder of decoders) decoder.destroy()
    },
  }
}

/** What unpacks to nothing must end as well. */
function limit(stream: Readable, isOver: () => void): void {
  let left = MOST_BYTES
  stream.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) isOver()
  })
}

class TextSearch {
  readonly #text: string
  readonly #decoder: TextDecoder
  /** The end of what was seen, where the text may have begun. */
  #tail = ''
  #left = MOST_BYTES

  constructor(text: string, decoder: TextDecoder) {
    this.#text = text
    this.#decoder = decoder
  }

  get isFull(): boolean {
    return this.#left === 0
  }

  take(chunk: Buffer): boolean {
    const bytes = chunk.subarray(0, this.#left)
    this.#left -= bytes.length
    return this.#look(this.#decoder.decode(bytes, { stream: true }))
  }

  end(): boolean {
    return this.#look(this.#decoder.decode())
  }

  #look(more: string): boolean {
    const seen = this.#tail + more
    if (seen.includes(this.#text)) return true
    this.#tail = seen.slice(Math.max(0, seen.length - this.#text.length + 1))
    return false
  }
}

function charsetOf(contentType = ''): TextDecoder {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? []
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
