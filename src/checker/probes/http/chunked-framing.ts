/** Reads a body with `Transfer-Encoding: chunked`. Rejects whatever llhttp, Node's strict parser, rejects. */
import { InvalidResponse } from './invalid-response.ts'
import { LineReader } from './line-reader.ts'
import { checkHeaderLine, MAX_HEAD_BYTES } from './response-head.ts'

/** The limit for the extensions of all chunks together, as in Node. */
const MAX_EXTENSION_BYTES = 16 * 1024

const sizePattern = /^0*[0-9a-f]{1,16}(?=[;\r\n])/i
/** Extensions such as `;name`, `;name=value` and `;name="quoted value"`. */
const extensionsPattern =
  /^(?:;(?![ \r])[!#$%&'*+\-.^_`|~0-9A-Za-z]*(?:=[!#$%&'*+\-.^_`|~0-9A-Za-z]*(?:"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*")?)?)*\r\n$/
const sizeStartPattern = /^[0-9a-f]+(?:$|[;\r])/i
/** At most 16 digits of a size that has no leading zeros, and the character after them. */
const MAX_SIZE_START_LENGTH = 17

export class ChunkedFraming {
  readonly endsWithConnection = false
  readonly #lines = new LineReader()
  #part: 'size' | 'data' | 'end of data' | 'trailers' = 'size'
  #missingBytes = 0
  #extensionBytes = 0
  #trailerBytes = 0

  read(bytes: Buffer, onBody: (part: Buffer) => void): boolean {
    let position = 0
    while (position < bytes.length) {
      if (this.#part === 'data') {
        const data = bytes.subarray(position, position + this.#missingBytes)
        this.#missingBytes -= data.length
        if (this.#missingBytes === 0) this.#part = 'end of data'
        position += data.length
        onBody(data)
      } else {
        const line = this.#lines.read(bytes, position)
        position = this.#lines.endPosition
        if (line === undefined) this.#checkUnfinishedLine()
        else if (this.#handleLine(line)) return true
      }
    }
    return false
  }

  /** Returns whether the body is complete. */
  #handleLine(line: string): boolean {
    switch (this.#part) {
      case 'size':
        this.#missingBytes = this.#readSize(line)
        this.#part = this.#missingBytes === 0 ? 'trailers' : 'data'
        return false
      case 'end of data':
        if (line !== '\r\n') throw new InvalidResponse(line === '\n' ? 'HPE_CR_EXPECTED' : 'HPE_STRICT')
        this.#part = 'size'
        return false
      default:
        return this.#handleTrailer(line)
    }
  }

  #readSize(line: string): number {
    const [size] = sizePattern.exec(line) ?? []
    if (size === undefined) throw new InvalidResponse('HPE_INVALID_CHUNK_SIZE')
    this.#extensionBytes += line.length - size.length - '\r\n'.length
    this.#checkExtensionBytes(this.#extensionBytes)
    if (!extensionsPattern.test(line.slice(size.length)))
      throw new InvalidResponse(line.endsWith('\r\n') ? 'HPE_STRICT' : 'HPE_CR_EXPECTED')
    return Number.parseInt(size, 16)
  }

  #handleTrailer(line: string): boolean {
    if (line === '\r\n') return true
    this.#trailerBytes += line.length
    this.#checkTrailerBytes(this.#trailerBytes)
    checkHeaderLine(line, 0)
    return false
  }

  /**
   * Limits the memory of an unfinished line. A server that sends no chunks at all may send no line break either, so its body is
   * rejected by its first bytes.
   */
  #checkUnfinishedLine(): void {
    const { unfinishedBytes } = this.#lines
    switch (this.#part) {
      case 'size':
        if (!sizeStartPattern.test(this.#lines.peek(MAX_SIZE_START_LENGTH)))
          throw new InvalidResponse('HPE_INVALID_CHUNK_SIZE')
        this.#checkExtensionBytes(this.#extensionBytes + unfinishedBytes)
        break
      case 'end of data':
        if (this.#lines.peek(2) !== '\r') throw new InvalidResponse('HPE_STRICT')
        break
      default:
        this.#checkTrailerBytes(this.#trailerBytes + unfinishedBytes)
    }
  }

  #checkExtensionBytes(byteCount: number): void {
    if (byteCount > MAX_EXTENSION_BYTES) throw new InvalidResponse('HPE_CHUNK_EXTENSIONS_OVERFLOW')
  }

  #checkTrailerBytes(byteCount: number): void {
    if (byteCount > MAX_HEAD_BYTES) throw new InvalidResponse('HPE_HEADER_OVERFLOW')
  }
}
