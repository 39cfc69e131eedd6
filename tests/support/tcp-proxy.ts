/** A TCP proxy on 127.0.0.1 that can stop forwarding without closing its connections, or forward to another server. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  port: number
  /** How many connections are open. */
  openCount(): number
  /** Accepts new connections and keeps all connections open, but forwards nothing: a black hole. */
  stall(): void
  /** Forwards nothing more on the open connections, but forwards new ones, like a firewall that has lost its state. */
  stallOpenConnections(): void
  /** Closes a connection instead of forwarding the response to the next request that contains the text. */
  loseResponseTo(text: string): void
  /** Forwards what it has received in the meantime, and everything after it. */
  resume(): void
  /** Sends new connections to another port. Open connections keep their server, as with a virtual address that moves. */
  forwardTo(port: number): void
  close(): Promise<void>
}

/** The target is a port on 127.0.0.1, or the path of a Unix socket. */
export async function startTcpProxy(initialTarget: number | string): Promise<TcpProxy> {
  let target = initialTarget
  let isStalled = false
  let lostText: string | undefined
  const sockets = new Set<Socket>()

  function track(socket: Socket, peer: () => Socket): void {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      peer().destroy()
    })
    if (isStalled) socket.pause()
  }

  const server = createServer((incoming) => {
    const outgoing = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target)
    track(incoming, () => outgoing)
    track(outgoing, () => incoming)
    let losesResponse = false
    incoming.on('data', (chunk) => {
      if (lostText !== undefined && chunk.includes(lostText)) {
        losesResponse = true
        lostText = undefined
      }
      outgoing.write(chunk)
    })
    outgoing.on('data', (chunk) => (losesResponse ? incoming.destroy() : incoming.write(chunk)))
    if (isStalled) for (const socket of [incoming, outgoing]) socket.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as AddressInfo).port,
    openCount: () => sockets.size / 2,
    stall() {
      isStalled = true
      for (const socket of sockets) socket.pause()
    },
    stallOpenConnections() {
      for (const socket of sockets) socket.pause()
    },
    loseResponseTo(text) {
      lostText = text
    },
    resume() {
      isStalled = false
      for (const socket of sockets) socket.resume()
    },
    forwardTo(newPort) {
      target = newPort
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
