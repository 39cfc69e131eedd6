/**
 * Disconnects clients that stop reading while a response waits for them. Their responses would stay in memory until the
 * connection breaks, which can take hours.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export const STALL_CHECK_INTERVAL_MS = 5_000
/**
 * A client is disconnected after this many checks without progress, which take a minute. Counting checks instead of
 * measuring time keeps connections open after the process was suspended.
 */
const MAX_STALLED_CHECKS = 12

interface Stall {
  /** Changes when the client reads. */
  progress: string
  checkCount: number
}

export class StalledConnections {
  readonly #sockets = new Set<Socket>()
  readonly #stalls = new WeakMap<Socket, Stall>()

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  /** Call it every `STALL_CHECK_INTERVAL_MS`. */
  check(): void {
    for (const socket of this.#sockets) {
      if (socket.writableLength === 0) this.#stalls.delete(socket)
      else if (this.#countCheck(socket) > MAX_STALLED_CHECKS) socket.destroy()
    }
  }

  /** Returns how many checks in a row, including the current one, have found the same progress. */
  #countCheck(socket: Socket): number {
    const progress = describeProgress(socket)
    const previousStall = this.#stalls.get(socket)
    const checkCount = previousStall?.progress === progress ? previousStall.checkCount + 1 : 1
    this.#stalls.set(socket, { progress, checkCount })
    return checkCount
  }
}

/**
 * The socket's public counters change only when a whole chunk has been sent. A chunk can have megabytes, and a slow
 * client needs minutes for it. Only the size of libuv's queue shows that a part of a chunk was sent.
 */
function describeProgress(socket: Socket): string {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return `${socket.bytesWritten - socket.writableLength} ${handle?.writeQueueSize}`
}
