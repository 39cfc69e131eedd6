/** POST /api/event: bodies that are too large, and clients that leave while they send one. */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createSite, sendView } from '../../support/traffic.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** Sends the head of a request, and collects what the server responds. */
async function openRequest(...headers: string[]): Promise<{ socket: Socket; closed: Promise<string> }> {
  const { hostname, port } = new URL(server.address)
  const socket = connect(Number(port), hostname)
  let receivedText = ''
  socket.on('data', (chunk) => {
    receivedText += chunk
  })
  const closed = new Promise<string>((resolve, reject) => {
    socket.on('close', () => resolve(receivedText))
    socket.on('error', reject)
  })
  socket.write(['POST /api/event HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n'))
  return { socket, closed }
}

const nextChunk = (socket: Socket) =>
  new Promise<string>((resolve) => socket.once('data', (data) => resolve(`${data}`)))

describe('an event that is larger than 1 MiB', () => {
  it('is refused before its body arrives', async () => {
    const { socket, closed } = await openRequest('Content-Length: 10000000000')
    const head = await nextChunk(socket)
    expect(head).toMatch(/^HTTP\/1\.1 413 /)
    expect(head).toMatch(/^connection: close\r$/im)
    expect(head).toMatch(/^access-control-allow-origin: \*\r$/im)
    // The client gets the whole response although it goes on sending, and then the server closes the connection.
    socket.write('x'.repeat(200_000))
    expect(JSON.parse((await closed).split('\r\n\r\n')[1] as string)).toMatchObject({ code: 'too_large' })
  })

  it('is refused when its chunks add up to more than 1 MiB', async () => {
    const { socket, closed } = await openRequest('Transfer-Encoding: chunked')
    const chunk = 'x'.repeat(65_536)
    for (let n = 0; n < 17; n++) socket.write(`10000\r\n${chunk}\r\n`)
    socket.write('0\r\n\r\n')
    const response = await closed
    expect(response).toMatch(/^HTTP\/1\.1 413 /)
    expect(JSON.parse(response.split('\r\n\r\n')[1] as string)).toMatchObject({ code: 'too_large' })
  })

  it('leaves the server ready for the next event', async () => {
    const ada = await server.createUser('ada')
    await createSite(ada, 'next.example')
    expect((await sendView(server, 'next.example', '/')).headers.get('x-belfry-dropped')).toBe(null)
  })
})

describe('a client that leaves while it sends an event', () => {
  it.each(['Content-Length: 100', 'Transfer-Encoding: chunked'])('(%s) causes no error', async (header) => {
    const { socket, closed } = await openRequest(header)
    socket.write('5\r\n{"n":')
    // The response to this later request proves that the server has begun to read the event.
    await server.anyone.get('/healthz')
    socket.resetAndDestroy()
    await closed.catch(() => {})
    await server.anyone.get('/healthz')
    const problems = server.logLines.filter((line) => /"level":"error"|"status":5/.test(line))
    expect(problems).toEqual([])
  })
})
