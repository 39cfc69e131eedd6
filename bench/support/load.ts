/**
 * Sends requests back to back on keep-alive connections. Uses bare sockets, so that the load itself takes little CPU time on
 * a machine with two cores.
 */
import { connect, type Socket } from 'node:net'

export interface LoadResult {
  perSecond: number
  p50Ms: number
  p99Ms: number
  count: number
  failures: number
}

export interface HttpLoadOptions {
  port: number
  /** The path of every request, or a function that returns the next path. */
  path: string | (() => string)
  /** POST requests to send in turn, each with its headers and body. */
  posts?: readonly PostRequest[]
  headers?: Record<string, string>
  connections: number
  seconds: number
}

export interface PostRequest {
  headers: Record<string, string>
  body: string
}

export async function runHttpLoad(options: HttpLoadOptions): Promise<LoadResult> {
  const { port, path, headers = {}, connections, posts = [], seconds } = options
  const headerLines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const formatGet = (path: string) => Buffer.from(`GET ${path} HTTP/1.1\r\n${headerLines.join('\r\n')}\r\n\r\n`)
  const fixedRequest = typeof path === 'string' ? formatGet(path) : undefined
  const postRequests = posts.map((post) => formatPost(path as string, { host: `127.0.0.1:${port}`, ...headers }, post))
  let sentCount = 0
  const getNextRequest = () =>
    postRequests[sentCount++ % postRequests.length] ?? fixedRequest ?? formatGet((path as () => string)())
  const responseTimesMs: number[] = []
  let failures = 0
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  const workers = Array.from({ length: connections }, () =>
    sendUntil(port, getNextRequest, endsAt, (ms, isOk) => {
      responseTimesMs.push(ms)
      if (!isOk) failures++
    }),
  )
  await Promise.all(workers)
  const elapsedSeconds = (performance.now() - startedAt) / 1000
  responseTimesMs.sort((a, b) => a - b)
  const findPercentile = (share: number) =>
    responseTimesMs[Math.min(responseTimesMs.length - 1, Math.floor(responseTimesMs.length * share))] ?? 0
  return {
    perSecond: responseTimesMs.length / elapsedSeconds,
    p50Ms: findPercentile(0.5),
    p99Ms: findPercentile(0.99),
    count: responseTimesMs.length,
    failures,
  }
}

function formatPost(path: string, commonHeaders: Record<string, string>, { headers, body }: PostRequest): Buffer {
  const allHeaders = { ...commonHeaders, ...headers, 'content-length': String(Buffer.byteLength(body)) }
  const headerLines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${headerLines.join('\r\n')}\r\n\r\n${body}`)
}

const READ_BUFFER_BYTES = 65_536

function sendUntil(
  port: number,
  getNextRequest: () => Buffer,
  endsAt: number,
  onResponse: (ms: number, isOk: boolean) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0
    let incompleteResponse: Buffer | undefined
    const sendNext = (socket: Socket) => {
      if (performance.now() >= endsAt) {
        socket.end()
        return
      }
      sentAt = performance.now()
      socket.write(getNextRequest())
    }
    const receive = (chunk: Buffer) => {
      const receivedBytes = incompleteResponse === undefined ? chunk : Buffer.concat([incompleteResponse, chunk])
      const isOk = checkResponse(receivedBytes)
      if (isOk === undefined) {
        // The socket reuses the buffer of the chunk, so keep a copy.
        incompleteResponse = receivedBytes === chunk ? Buffer.from(chunk) : receivedBytes
        return
      }
      incompleteResponse = undefined
      onResponse(performance.now() - sentAt, isOk)
      sendNext(socket)
    }
    const socket: Socket = connect({
      port,
      host: '127.0.0.1',
      // A new buffer for every read would keep the garbage collector busy, whose pauses would count as response times.
      onread: {
        buffer: Buffer.alloc(READ_BUFFER_BYTES),
        callback: (length, buffer) => {
          receive(Buffer.from(buffer.buffer, buffer.byteOffset, length))
          return true
        },
      },
    })
    socket.on('connect', () => sendNext(socket))
    socket.setNoDelay(true)
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}

/** Returns undefined while the response is incomplete, and then whether it succeeded. */
function checkResponse(receivedBytes: Buffer): boolean | undefined {
  const headEnd = receivedBytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const headText = receivedBytes.toString('latin1', 0, headEnd)
  const length = Number(/content-length: (\d+)/i.exec(headText)?.[1] ?? 0)
  if (receivedBytes.length < headEnd + 4 + length) return undefined
  return headText.startsWith('HTTP/1.1 20')
}
