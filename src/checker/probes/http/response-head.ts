/** Reads the head of a response: its status line and its headers. Rejects whatever llhttp, Node's strict parser, rejects. */
import { InvalidResponse } from './invalid-response.ts'
import { LineReader } from './line-reader.ts'

/** The limit for the head of a response together with those of all informational responses before it. */
export const MAX_HEAD_BYTES = 64 * 1024

const statusLinePattern = /HTTP\/(?:0\.9|1\.[01]|2\.0) \d{3}(?: [^\r\n]*)?\r\n/y
const statusLineStartPattern = /^HTTP\/\d\.\d \d{3}$/
const STATUS_LINE_START = 'HTTP/1.1 200'

/** Takes linear time for any text, because neither character class contains the character after it. */
const headerLinePattern = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n/y
/** The headers that a check needs. Storing the others too would take a third longer. */
const neededNamePattern = /(?:location|set-cookie|content-(?:type|encoding|length)|transfer-encoding):/iy

const endOfHead = Buffer.from('\r\n\r\n')
const LINE_FEED = 10
const CARRIAGE_RETURN = 13

/** Values are in Latin-1. If a server repeats a header that has one value, the first one counts, as in Node. */
export class ResponseHead {
  readonly status: number
  location: string | undefined
  setCookies: string[] | undefined
  contentType: string | undefined
  contentEncoding: string | undefined
  contentLength: string | undefined
  transferEncoding: string | undefined

  constructor(status: number) {
    this.status = status
  }
}

export class ResponseHeadReader {
  readonly #lines = new LineReader()
  #head: ResponseHead | undefined
  #position = 0
  #readBytes = 0

  /** Where the body begins in the chunk that completed the head. */
  get endPosition(): number {
    return this.#position
  }

  /** Returns the head when it is complete. Skips informational responses. Throws `InvalidResponse`. */
  read(chunk: Buffer): ResponseHead | undefined {
    this.#position = 0
    let head = this.#readHead(chunk)
    while (head !== undefined && isInformational(head.status)) head = this.#readHead(chunk)
    this.#readBytes += this.#position
    if (this.#readBytes > MAX_HEAD_BYTES) throw new InvalidResponse('HPE_HEADER_OVERFLOW')
    return head
  }

  #readHead(chunk: Buffer): ResponseHead | undefined {
    if (this.#head === undefined && this.#lines.unfinishedBytes === 0) {
      this.#skipLineBreaks(chunk)
      // Most heads arrive in one chunk. Reading all lines at once takes half the time of reading each of them from the chunk.
      const start = this.#position
      const end = chunk.indexOf(endOfHead, start)
      if (end !== -1) {
        this.#position = end + endOfHead.length
        return parseHead(chunk.toString('latin1', start, this.#position))
      }
    }
    return this.#readLines(chunk)
  }

  /** Some servers send line breaks before the status line. */
  #skipLineBreaks(chunk: Buffer): void {
    while (chunk[this.#position] === CARRIAGE_RETURN || chunk[this.#position] === LINE_FEED) this.#position++
  }

  #readLines(chunk: Buffer): ResponseHead | undefined {
    while (this.#position < chunk.length) {
      const line = this.#lines.read(chunk, this.#position)
      this.#position = this.#lines.endPosition
      if (line === undefined) this.#checkUnfinishedLine()
      else if (this.#head === undefined) this.#head = parseStatusLine(line)
      else if (line === '\r\n') return this.#takeHead()
      else parseHeaderLine(this.#head, line, 0)
    }
    return undefined
  }

  #takeHead(): ResponseHead | undefined {
    const head = this.#head
    this.#head = undefined
    return head
  }

  /** A server with another protocol may send no line break and wait for us, so its response is rejected by its first bytes. */
  #checkUnfinishedLine(): void {
    if (this.#head !== undefined) return
    const start = this.#lines.peek(STATUS_LINE_START.length)
    if (!statusLineStartPattern.test(start + STATUS_LINE_START.slice(start.length)))
      throw new InvalidResponse('HPE_INVALID_CONSTANT')
  }
}

/** Status 101 is no informational response, because no other response follows it. */
function isInformational(status: number): boolean {
  return status >= 100 && status < 200 && status !== 101
}

/** `text` ends with the empty line after the headers. */
function parseHead(text: string): ResponseHead {
  const head = parseStatusLine(text)
  const end = text.length - '\r\n'.length
  for (let position = statusLinePattern.lastIndex; position < end; ) position = parseHeaderLine(head, text, position)
  return head
}

/** Leaves the position of the next line in the pattern's `lastIndex`. */
function parseStatusLine(text: string): ResponseHead {
  statusLinePattern.lastIndex = 0
  if (!statusLinePattern.test(text)) throw new InvalidResponse('HPE_INVALID_CONSTANT')
  return new ResponseHead(Number(text.slice('HTTP/1.1 '.length, STATUS_LINE_START.length)))
}

/** Returns the position of the next line. */
function parseHeaderLine(head: ResponseHead, text: string, position: number): number {
  const end = checkHeaderLine(text, position)
  neededNamePattern.lastIndex = position
  if (neededNamePattern.test(text)) {
    const valuePosition = neededNamePattern.lastIndex
    const name = text.slice(position, valuePosition - ':'.length)
    addHeader(head, name.toLowerCase(), trimSpaces(text, valuePosition, end - '\r\n'.length))
  }
  return end
}

/** Returns the position of the next line. Throws `InvalidResponse`. */
export function checkHeaderLine(text: string, position: number): number {
  headerLinePattern.lastIndex = position
  if (!headerLinePattern.test(text)) throw new InvalidResponse('HPE_INVALID_HEADER_TOKEN')
  return headerLinePattern.lastIndex
}

function addHeader(head: ResponseHead, name: string, value: string): void {
  switch (name) {
    case 'location':
      head.location ??= value
      break
    case 'set-cookie':
      head.setCookies ??= []
      head.setCookies.push(value)
      break
    case 'content-type':
      head.contentType ??= value
      break
    case 'content-encoding':
      head.contentEncoding = joinValues(head.contentEncoding, value)
      break
    case 'content-length':
      checkContentLength(head, value)
      head.contentLength = value
      break
    case 'transfer-encoding':
      if (head.contentLength !== undefined || value === '') throw new InvalidResponse('HPE_INVALID_TRANSFER_ENCODING')
      head.transferEncoding = joinValues(head.transferEncoding, value)
      break
  }
}

function checkContentLength({ contentLength, transferEncoding }: ResponseHead, value: string): void {
  if (transferEncoding !== undefined || !/^\d+$/.test(value) || !Number.isSafeInteger(Number(value)))
    throw new InvalidResponse('HPE_INVALID_CONTENT_LENGTH')
  if (contentLength !== undefined) throw new InvalidResponse('HPE_UNEXPECTED_CONTENT_LENGTH')
}

function joinValues(values: string | undefined, value: string): string {
  return values === undefined ? value : `${values}, ${value}`
}

/** Unlike `trim`, this keeps the no-break spaces of Latin-1. A pattern would take quadratic time for many spaces. */
function trimSpaces(text: string, start: number, end: number): string {
  let [first, last] = [start, end]
  while (first < last && isSpace(text.charCodeAt(first))) first++
  while (last > first && isSpace(text.charCodeAt(last - 1))) last--
  return text.slice(first, last)
}

function isSpace(charCode: number): boolean {
  return charCode === 32 || charCode === 9
}
