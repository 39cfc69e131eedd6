import type { Socket } from 'node:net'

/**
 * Closes a connection and drops its references. A closed socket, and everything it references, stays in memory until V8
 * collects the old generation. If sockets still referenced their checks, collecting them would take a tenth of a
 * check's CPU time.
 */
export function closeSocket(socket: Socket): void {
  // This listener is the last one added, so Node's own listeners run before it.
  socket.once('close', dropReferences)
  socket.destroy()
}

function dropReferences(this: Socket): void {
  this.removeAllListeners()
}

/**
 * Resets the connection of a check that has timed out. After an ordinary close, the operating system would remember the connection for
 * a minute. With thousands of targets that hang, that makes opening new connections slow. `socket` must be the TCP connection itself,
 * below TLS.
 */
export function resetConnection(socket: Socket): void {
  if (!socket.destroyed) socket.resetAndDestroy()
}
