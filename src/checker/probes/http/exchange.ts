/**
 * Sends one request over an open connection and reads its response. node:http would almost double the CPU time of a request that
 * needs a connection of its own.
 */
import type { Duplex } from 'node:stream'
import { type BodyFraming, findBodyFraming } from './body-framing.ts'
import { InvalidResponse } from './invalid-response.ts'
import type { HttpRequest } from './redirects.ts'
import { createRequestBytes } from './request-bytes.ts'
import { type ResponseHead, ResponseHeadReader } from './response-head.ts'

/** After `onEnd` or `onError`, no callback is called. */
export interface ExchangeCallbacks {
  onHead(head: ResponseHead): void
  onBody(part: Buffer): void
  onEnd(): void
  /** The response is not valid, or the connection ended before the response did. */
  onError(error: Error): void
}

/** The caller has to close the connection. */
export class Exchange {
  readonly #method: string
  readonly #callbacks: ExchangeCallbacks
  readonly #headReader = new ResponseHeadReader()
  #framing: BodyFraming | undefined
  #isDone = false

  constructor(connection: Duplex, request: HttpRequest, callbacks: ExchangeCallbacks) {
    this.#method = request.method
    this.#callbacks = callbacks
    connection.write(createRequestBytes(request), 'latin1')
    connection.on('data', (chunk: Buffer) => this.#handleChunk(chunk))
    connection.on('end', () => this.#handleEnd())
    connection.on('error', (error) => this.#fail(error))
    connection.on('close', () => this.#failAsClosed())
  }

  /** After this, no callback is called. */
  cancel(): void {
    this.#isDone = true
  }

  /** Ignores what follows the response. Some servers send a body after status 204, for example. */
  #handleChunk(chunk: Buffer): void {
    if (this.#isDone) return
    try {
      if (this.#framing === undefined) this.#readHead(chunk)
      else this.#readBody(this.#framing, chunk)
    } catch (error) {
      if (!(error instanceof InvalidResponse)) throw error
      this.#fail(error)
    }
  }

  #readHead(chunk: Buffer): void {
    const head = this.#headReader.read(chunk)
    if (head === undefined) return
    this.#framing = findBodyFraming(head, this.#method)
    this.#callbacks.onHead(head)
    if (this.#isDone) return
    const { endPosition } = this.#headReader
    if (this.#framing === undefined) this.#finish()
    else if (endPosition < chunk.length) this.#readBody(this.#framing, chunk.subarray(endPosition))
  }

  #readBody(framing: BodyFraming, bytes: Buffer): void {
    const isComplete = framing.read(bytes, (part) => {
      if (!this.#isDone) this.#callbacks.onBody(part)
    })
    if (isComplete) this.#finish()
  }

  #handleEnd(): void {
    if (this.#framing?.endsWithConnection === true) this.#finish()
    else this.#failAsClosed()
  }

  #finish(): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#callbacks.onEnd()
  }

  #failAsClosed(): void {
    if (!this.#isDone) this.#fail(createClosedError())
  }

  #fail(error: Error): void {
    if (this.#isDone) return
    this.#isDone = true
    this.#callbacks.onError(error)
  }
}

/** Has the code that Node uses for it. Unlike the error of a reset connection, it has no errno. */
function createClosedError(): Error {
  return Object.assign(new Error('The connection was closed before the end of the response'), { code: 'ECONNRESET' })
}
