/** Sends raw bytes, for requests that no HTTP client would send. */
import { connect } from 'node:net'

/** Returns everything that the server sends before it closes the connection. */
export function sendRaw(address: string, text: string): Promise<string> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('close', () => resolve(received))
    socket.on('error', reject)
  })
}
