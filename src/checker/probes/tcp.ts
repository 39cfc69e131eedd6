/** Checks that a port accepts connections and, if the monitor asks for it, that the server sends an expected text. */
import type { Socket } from 'node:net'
import { parseHostPort } from '../../lib/network-address.ts'
import { toVisibleLine } from '../../lib/text.ts'
import type { TcpOptions } from '../../monitors/option-schemas.ts'
import type { Guard } from '../../outgoing/guard.ts'
import { ConnectionCheck } from './connection-check.ts'
import { createFailure, quote } from './failure.ts'
import { KeywordSearch } from './keyword-search.ts'
import type { CheckFailure, Probe, TcpTarget } from './probe.ts'
import { type CheckDone, openCheckProbe } from './running-checks.ts'

/** A greeting or a reply is short. A server that sends this much without the expected text won't send it. */
const MAX_READ_BYTES = 64 * 1024
/** A failure quotes at most this much of what the server sent. */
const MAX_EXCERPT_BYTES = 100

export function openTcpProbe({ guard }: { guard: Guard }): Probe<TcpTarget> {
  return openCheckProbe((target, done) => new TcpCheck(target, guard, done))
}

class TcpCheck extends ConnectionCheck {
  readonly #options: TcpOptions
  #readBytes = 0
  #excerpt = Buffer.alloc(0)

  constructor({ url, timeoutMs, tcp }: TcpTarget, guard: Guard, done: CheckDone) {
    const { host, port } = parseHostPort(url) as { host: string; port: number }
    super({ host, port, timeoutMs }, guard, done)
    this.#options = tcp
  }

  protected override onConnect(socket: Socket): void {
    const { send, expect } = this.#options
    socket.on('error', (error) => this.run(() => this.#handleError(error)))
    if (expect !== null) this.#waitFor(expect, socket)
    if (send !== null) {
      // After a failed write, the socket also emits an error, for which there is a listener above.
      socket.write(send, (error) => this.run(() => (error || expect !== null ? undefined : this.#succeed())))
    } else if (expect === null) this.#succeed()
  }

  protected override createTimeoutFailure(): CheckFailure {
    const { expect } = this.#options
    const limit = `${this.target.timeoutMs / 1000} s`
    // Without a connection, the lookup or the connection attempt took too long.
    if (this.socket === undefined) return super.createTimeoutFailure()
    if (expect === null) return createFailure('timeout', `Sending the text took longer than ${limit}`)
    if (this.#readBytes > 0) return this.#createMismatch()
    return createFailure('timeout', `Server sent nothing within ${limit}, expected ${quote(expect)}`)
  }

  #waitFor(expect: string, socket: Socket): void {
    const search = new KeywordSearch(expect, undefined)
    this.phases.start('firstByteMs')
    socket.on('data', (chunk: Buffer) =>
      this.run(() => {
        this.#addToExcerpt(chunk)
        search.add(chunk)
        if (search.isFound) this.finish(null)
        else if (this.#readBytes > MAX_READ_BYTES) this.finish(this.#createMismatch())
      }),
    )
    socket.once('end', () => this.run(() => this.finish(this.#createClosedFailure('closed'))))
  }

  #addToExcerpt(chunk: Buffer): void {
    if (this.#readBytes === 0) {
      this.phases.complete()
      this.responded = true
    }
    this.#readBytes += chunk.length
    if (this.#excerpt.length < MAX_EXCERPT_BYTES) {
      this.#excerpt = Buffer.concat([this.#excerpt, chunk.subarray(0, MAX_EXCERPT_BYTES - this.#excerpt.length)])
    }
  }

  #succeed(): void {
    this.responded = true
    this.finish(null)
  }

  #handleError(error: NodeJS.ErrnoException): void {
    const isClosedByServer = error.code === 'ECONNRESET' || error.code === 'EPIPE'
    if (isClosedByServer) this.finish(this.#createClosedFailure('reset'))
    else this.failWith(error)
  }

  #createClosedFailure(verb: 'closed' | 'reset'): CheckFailure {
    const { expect } = this.#options
    if (this.#readBytes > 0) return this.#createMismatch()
    const missingPart = expect === null ? 'received the text' : `sent ${quote(expect)}`
    return createFailure('tcp', `Server ${verb} the connection before it ${missingPart}`)
  }

  #createMismatch(): CheckFailure {
    const excerpt = toVisibleLine(this.#excerpt.toString(), MAX_EXCERPT_BYTES)
    const ellipsis = this.#readBytes > this.#excerpt.length ? '…' : ''
    return createFailure('tcp', `Server sent "${excerpt}${ellipsis}", expected ${quote(this.#options.expect ?? '')}`)
  }
}
