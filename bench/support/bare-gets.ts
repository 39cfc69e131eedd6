/** The baseline for checks: GET requests on bare sockets, with a new socket for each. Prints the CPU time per request. */
import { connect } from 'node:net'

const [port = 0, count = 0, concurrency = 1] = process.argv.slice(2).map(Number)
const request = `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`

function get(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.on('data', () => {})
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })
}

async function run(times: number): Promise<void> {
  let remainingCount = times
  const worker = async () => {
    while (remainingCount-- > 0) await get()
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

await run(count / 4)
const before = process.cpuUsage()
await run(count)
const { user, system } = process.cpuUsage(before)
console.log((user + system) / 1000 / count)
