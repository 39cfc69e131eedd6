/** Closes an HTTP server without failing a request, also behind a proxy that reuses connections. */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as delay, setImmediate as yieldToEventLoop } from 'node:timers/promises'

/**
 * A connection that has sent no request is closed after this time. A proxy that has just connected sends its request
 * much sooner.
 */
const MAX_SILENCE_MS = 1_000
const CHECK_INTERVAL_MS = 25
/**
 * If a turn of the event loop takes longer than this, it did other work, and new connections may be waiting in the
 * kernel.
 */
const MAX_QUIET_TURN_MS = 0.2
const MAX_QUIET_TURN_WAIT_MS = 500

export class GracefulClose {
  readonly #server: Server
  /** The last response of every open connection; undefined before its first request. */
  readonly #lastResponses = new Map<Socket, ServerResponse | undefined>()
  #acceptedCount = 0
  #isDraining = false

  /** Create it after all other listeners for requests have been added: it puts its own listener before them. */
  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket: Socket) => {
      this.#acceptedCount++
      this.#lastResponses.set(socket, undefined)
      socket.once('close', () => this.#lastResponses.delete(socket))
    })
    server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#lastResponses.set(socket, response)
      if (this.#isDraining) response.setHeader('connection', 'close')
    })
  }

  /**
   * From now on, every response asks the client to close the connection. All requests are still served. A connection that is
   * in use ends this way without a race: if the server closed it instead, a request could be on its way.
   */
  startDraining(): void {
    this.#isDraining = true
    for (const [socket, response] of this.#lastResponses) {
      if (response === undefined || response.writableFinished) continue
      if (!response.headersSent) response.setHeader('connection', 'close')
      else response.once('finish', () => socket.end())
    }
  }

  /** Stops listening and waits for the requests in progress. Connections that are still open after `timeoutMs` are cut. */
  async close(timeoutMs: number): Promise<void> {
    this.#isDraining = true
    if (!this.#server.listening) return
    let isClosed = false
    const closed = once(this.#server, 'close').then(() => {
      isClosed = true
    })
    await this.#waitForQuietTurn()
    // Unlike `http.Server.close`, `net.Server.close` does nothing else before it closes the listening socket.
    NetServer.prototype.close.call(this.#server)
    const end = performance.now() + timeoutMs
    const silenceEnd = performance.now() + Math.min(MAX_SILENCE_MS, timeoutMs)
    // The server emits `close` before its last sockets do. From then on, `closed` is resolved, so without `isClosed`
    // the loop would run without a pause.
    while (!isClosed && this.#lastResponses.size > 0 && performance.now() < end) {
      this.#server.closeIdleConnections()
      if (performance.now() > silenceEnd) this.#closeSilentConnections()
      await Promise.race([closed, delay(CHECK_INTERVAL_MS)])
    }
    this.#server.closeAllConnections()
    await closed
  }

  /**
   * When the listening socket is closed, the kernel resets connections that it has established but that this process
   * hasn't accepted yet. So wait for a turn of the event loop that found no new connection and had nothing else to do.
   */
  async #waitForQuietTurn(): Promise<void> {
    const end = performance.now() + MAX_QUIET_TURN_WAIT_MS
    for (let startedAt = performance.now(); startedAt < end; startedAt = performance.now()) {
      const acceptedBefore = this.#acceptedCount
      await yieldToEventLoop()
      if (this.#acceptedCount === acceptedBefore && performance.now() - startedAt < MAX_QUIET_TURN_MS) return
    }
  }

  #closeSilentConnections(): void {
    for (const [socket, response] of this.#lastResponses) if (response === undefined) socket.destroy()
  }
}
