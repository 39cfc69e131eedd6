/** Searches a response body for a keyword while the body arrives. */

export class KeywordSearch {
  readonly #keyword: string
  readonly #decoder: TextDecoder
  /** The last characters of the previous chunk, which may be the start of the keyword. */
  #tail = ''
  #isFound = false

  constructor(keyword: string, contentType: string | undefined) {
    this.#keyword = keyword
    this.#decoder = createTextDecoder(contentType)
  }

  get isFound(): boolean {
    return this.#isFound
  }

  add(chunk: Buffer): void {
    if (!this.#isFound) this.#search(this.#decoder.decode(chunk, { stream: true }))
  }

  end(): void {
    if (!this.#isFound) this.#search(this.#decoder.decode())
  }

  #search(next: string): void {
    const text = this.#tail + next
    this.#isFound = text.includes(this.#keyword)
    this.#tail = text.slice(Math.max(0, text.length - this.#keyword.length + 1))
  }
}

/** Decodes UTF-8 if the response names no other encoding. */
export function createTextDecoder(contentType = ''): TextDecoder {
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? []
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
