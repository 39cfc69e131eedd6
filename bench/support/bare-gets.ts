/** The baseline for checks: GET requests on bare sockets, with a new socket for each. Prints the CPU time per request. */
import { connect } from 'node:net'
import { measurePaced } from './run-paced.ts'

const [port = 0, count = 0, perSecond = 1] = process.argv.slice(2).map(Number)
const request = `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`

function get(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.on('data', () => {})
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

console.log(await measurePaced({ count, perSecond }, get, readCpuMs))
