/**
 * Creates random HTTP responses, of which about a third are not valid. The same seed always gives the same responses. Leaves out what
 * our client accepts on purpose although Node does not: informational responses with `Connection: close` or version 1.0.
 */
export interface RandomResponse {
  method: 'GET' | 'HEAD'
  /** The bytes of the response, split at random points. */
  parts: Buffer[]
  /** Whether the connection is reset after the last part. Otherwise the server closes it. */
  isReset: boolean
}

const validStatusLines = [
  'HTTP/1.1 200 OK',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 301 Moved',
  'HTTP/1.1 404',
  'HTTP/1.1 503 ',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 304 Not Modified',
  'HTTP/1.1 101 Switching Protocols',
  'HTTP/1.1 200 \0\xff',
]
const unusualStatusLines = [
  'HTTP/0.9 200 OK',
  'HTTP/2.0 200 OK',
  'HTTP/1.2 200 OK',
  'HTTP/1.1 099 Low',
  'HTTP/1.1 999 High',
  'HTTP/1.1 20 OK',
  'HTTP/1.1 2000 OK',
  'HTTP/1.1  200 OK',
  'HTTP/1.1 200\tOK',
  'HTTP/1.1 200 O\rK',
  'http/1.1 200 OK',
  'ICY 200 OK',
  '<html>',
]
const informationalHeads = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLocation: /wrong\r\n\r\n',
  'HTTP/1.1 199 Odd\r\nContent-Length: 5\r\n\r\n',
]
const validHeaders = [
  'Server: nginx',
  'X-Empty:',
  'X-Spaces:    a  b   \t',
  'Location: /a',
  'location:https://shop.test/\xfc',
  'Set-Cookie: a=b; Path=/',
  'SET-COOKIE: c=d',
  'Content-Type: text/html',
  'content-type: application/json',
  'Content-Encoding: gzip',
  'Content-Encoding:',
  'Connection: close',
  'Connection: keep-alive, Upgrade',
  'Upgrade: tea',
  'X-Colons: a:b:c',
  'Locations: /wrong',
]
const invalidHeaders = [
  'X Y: a',
  'X-Y : a',
  'X\xe9: a',
  'X(Y): a',
  ': a',
  'No colon',
  ' X: a',
  'X: a\0b',
  'X: \x1b',
  'X: a\rb',
  'X: a\n b',
]
const invalidLengths = ['', '-1', '+5', '0x5', '5a', '5 5', '5,5', '1.5', '99999999999999999999']
const validEncodings = ['chunked', 'Chunked ', 'gzip, chunked', 'gzip,chunked', 'chunked, chunked']
const otherEncodings = ['identity', 'chunked, gzip', 'xchunked', 'chunked;q=1', 'chunked,', '']
const validExtensions = [';a', ';a=b', ';a="b\\"c;d"', ';a=b;c', ';=a', ';;a']
const invalidExtensions = [' ', ';', '; a', ';a b', ';a="b', ';a="b"c', ';a\0', 'g', '\r']
const lineEnds = ['\n', '\r', '\r\r\n', '\n\r']
const extraBytes = ['extra', '\r\n', 'HTTP/1.1 500 Next\r\n\r\n', '\0']
const bodies = ['', 'ok', 'hello world', '5\r\nhello\r\n0\r\n\r\n', 'a\r\n\r\nb', 'x'.repeat(300)]
const insertedCharacters = ['\0', '\n', '\r', ' ', ':', ';', '0', 'x', '"', '\xff', '']

export function* createRandomResponse(seed: number, count: number): Generator<RandomResponse> {
  const random = createRandom(seed)
  for (let index = 0; index < count; index++) {
    const bytes = Buffer.from(new ResponseWriter(random).write(), 'latin1')
    const method = random.chance(0.1) ? 'HEAD' : 'GET'
    yield { method, parts: splitRandomly(random, bytes), isReset: random.chance(0.2) }
  }
}

type Random = ReturnType<typeof createRandom>

/** The generator mulberry32. */
function createRandom(seed: number) {
  let state = seed
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (probability: number) => next() < probability,
    pick: <T>(values: readonly T[]) => values[below(values.length)] as T,
  }
}

class ResponseWriter {
  readonly #random: Random
  readonly #mayBeInvalid: boolean

  constructor(random: Random) {
    this.#random = random
    this.#mayBeInvalid = random.chance(0.5)
  }

  write(): string {
    const { chance, pick, below } = this.#random
    const body = pick(bodies)
    const framing = pick([
      () => this.#writeLength(body),
      () => this.#writeChunks(body),
      () => ({ headers: [], text: body }),
    ])()
    const headers = Array.from({ length: below(6) }, () => this.#pickHeader())
    for (const header of framing.headers) headers.splice(below(headers.length + 1), 0, header)
    const text = [
      chance(0.05) ? pick(['\r\n', '\n', '\r\n\r\n']) : '',
      ...[this.#isInvalid(0.3) ? pick(unusualStatusLines) : pick(validStatusLines), ...headers, ''].map(
        (line) => line + this.#pickLineEnd(),
      ),
      framing.text,
      chance(0.15) ? pick(extraBytes) : '',
    ].join('')
    const informational = chance(0.15) ? pick(informationalHeads) + pick(informationalHeads) : ''
    return informational + this.#damage(text)
  }

  #isInvalid(probability: number): boolean {
    return this.#mayBeInvalid && this.#random.chance(probability)
  }

  #pickLineEnd(): string {
    return this.#isInvalid(0.02) ? this.#random.pick(lineEnds) : '\r\n'
  }

  #pickHeader(): string {
    return this.#random.pick(this.#isInvalid(0.1) ? invalidHeaders : validHeaders)
  }

  #writeLength(body: string) {
    const { chance, pick, below } = this.#random
    const length = chance(0.1) ? Math.max(0, body.length + below(5) - 2) : body.length
    const value = this.#isInvalid(0.2)
      ? pick(invalidLengths)
      : `${pick(['', ' ', '   0'])}${length}${pick(['', '\t '])}`
    const headers = [`Content-Length:${value}`]
    if (this.#isInvalid(0.1)) headers.push(`content-length: ${below(20)}`)
    return { headers, text: body }
  }

  #writeChunks(body: string) {
    const { chance, pick, below } = this.#random
    const headers = [`Transfer-Encoding: ${pick(chance(0.7) ? validEncodings : otherEncodings)}`]
    if (chance(0.05)) headers.push(`transfer-encoding: ${pick(validEncodings)}`)
    if (this.#isInvalid(0.1)) headers.push('Content-Length: 5')
    let text = ''
    for (let start = 0; start < body.length; ) {
      const data = body.slice(start, start + 1 + below(40))
      text += this.#writeSize(data.length) + data + this.#pickLineEnd()
      start += data.length
    }
    const trailers = Array.from({ length: chance(0.2) ? below(3) : 0 }, () => this.#pickHeader() + this.#pickLineEnd())
    return { headers, text: [text, this.#writeSize(0), ...trailers, this.#pickLineEnd()].join('') }
  }

  #writeSize(size: number): string {
    const { chance, pick, below } = this.#random
    const digits = '0'.repeat(chance(0.1) ? below(20) : 0) + size.toString(16)
    const extension = this.#isInvalid(0.05) ? pick(invalidExtensions) : chance(0.15) ? pick(validExtensions) : ''
    return (chance(0.5) ? digits : digits.toUpperCase()) + extension + this.#pickLineEnd()
  }

  /** Sometimes replaces, inserts or removes a character, and sometimes cuts the response off. */
  #damage(text: string): string {
    const { chance, pick, below } = this.#random
    const position = below(text.length)
    const damaged = this.#isInvalid(0.2)
      ? text.slice(0, position) + pick(insertedCharacters) + text.slice(position + below(2))
      : text
    return chance(0.1) ? damaged.slice(0, below(damaged.length)) : damaged
  }
}

/** Some responses arrive in one part, some in large or small parts, and some byte by byte. */
function splitRandomly({ pick, below }: Random, bytes: Buffer): Buffer[] {
  const maxLength = pick([bytes.length, 200, 20, 1])
  const parts: Buffer[] = []
  for (let start = 0; start < bytes.length; start += parts.at(-1)?.length ?? 0) {
    parts.push(bytes.subarray(start, start + (maxLength === bytes.length ? maxLength : 1 + below(maxLength))))
  }
  return parts
}
