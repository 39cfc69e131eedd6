import type { Socket } from 'node:net'

/**
 * Closes a connection and drops its references. A closed socket, and everything it references, stays in memory until V8
 * collects the old generation. If sockets still referenced their requests, collecting them would take a tenth of a
 * check's CPU time.
 */
export function closeSocket(socket: Socket): void {
  // This listener is the last one added, so Node's own listeners run before it.
  socket.once('close', dropReferences)
  socket.destroy()
}

function dropReferences(this: Socket & { _httpMessage?: unknown }): void {
  this.removeAllListeners()
  this._httpMessage = undefined
}
