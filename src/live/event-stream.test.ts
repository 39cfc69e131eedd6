import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LiveStream } from './event-stream.ts'

/** At a megabyte each, this many events are more than any kernel buffers for a client that doesn't read. */
const MAX_EVENTS = 200
const MEGABYTE = 'x'.repeat(1_000_000)

let stream: LiveStream
let socket: Socket
let response: ServerResponse
let stop: () => Promise<void>

/** Pipes the stream into a response over a real connection, like Fastify. */
beforeEach(async () => {
  stream = new LiveStream()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  ;[, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  stream.pipe(response)
  stop = async () => {
    socket.destroy()
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
})
afterEach(() => stop())

async function readAll(): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

describe('LiveStream', () => {
  it('sends a comment immediately, then its events, and ends', async () => {
    stream.send('monitors', [{ id: 3, last_error: 'line\nbreak' }])
    stream.sendHeartbeat()
    await yieldToEventLoop()
    stream.close()
    response.once('finish', () => socket.end())
    const text = await readAll()
    const body = text.slice(text.indexOf('\r\n\r\n') + 4).replace(/^[0-9a-f]+\r\n|\r\n(?=[0-9a-f]+\r\n|$)/gm, '')
    expect(body).toContain(':\n\n')
    expect(body).toContain('event: monitors\ndata: [{"id":3,"last_error":"line\\nbreak"}]\n\n')
    expect(text).toMatch(/0\r\n\r\n$/)
  })

  it('disconnects a client that does not read, and buffers nothing more', async () => {
    socket.pause()
    let sentCount = 0
    while (!stream.destroyed && sentCount < MAX_EVENTS) {
      stream.send('monitors', MEGABYTE)
      sentCount++
      await yieldToEventLoop()
    }
    expect(sentCount).toBeLessThan(MAX_EVENTS)
    expect(stream.destroyed).toBe(true)
    stream.send('monitors', MEGABYTE)
    stream.sendHeartbeat()
    expect(stream.readableLength).toBeLessThan(6_000_000)
  })

  it('keeps a client that reads, however much is sent', async () => {
    let receivedBytes = 0
    socket.on('data', (chunk) => {
      receivedBytes += chunk.length
    })
    for (let sentCount = 0; sentCount < 50; sentCount++) {
      stream.send('monitors', MEGABYTE)
      while (stream.readableLength > 0 || response.writableLength > 0) await yieldToEventLoop()
    }
    expect(stream.destroyed).toBe(false)
    expect(receivedBytes).toBeGreaterThan(40_000_000)
  })

  it('closes immediately when the client does not read', async () => {
    socket.pause()
    for (let sentCount = 0; sentCount < MAX_EVENTS && stream.readableLength === 0; sentCount++) {
      stream.send('monitors', MEGABYTE)
      await yieldToEventLoop()
    }
    expect(stream.destroyed).toBe(false)
    stream.close()
    expect(stream.destroyed).toBe(true)
  })
})
