import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as breathe } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EventStream } from './stream.ts'

/** More than any kernel keeps for somebody who does not read. */
const PLENTY = 200
const MEGABYTE = 'x'.repeat(1_000_000)

let stream: EventStream
let socket: Socket
let response: ServerResponse
let stop: () => Promise<void>

/** A connection, over which a stream is sent as Fastify does it. */
beforeEach(async () => {
  stream = new EventStream()
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

describe('a stream of events', () => {
  it('says something at once, then what it is told, and ends', async () => {
    stream.tell('monitors', [{ id: 3, last_error: 'line\nbreak' }])
    stream.beat()
    await breathe()
    stream.close()
    response.once('finish', () => socket.end())
    const text = await readAll()
    const body = text.slice(text.indexOf('\r\n\r\n') + 4).replace(/^[0-9a-f]+\r\n|\r\n(?=[0-9a-f]+\r\n|$)/gm, '')
    expect(body).toContain(':\n\n')
    expect(body).toContain('event: monitors\ndata: [{"id":3,"last_error":"line\\nbreak"}]\n\n')
    expect(text).toMatch(/0\r\n\r\n$/)
  })

  it('is cut off from a reader who does not read, and takes no more', async () => {
    socket.pause()
    let told = 0
    while (!stream.destroyed && told < PLENTY) {
      stream.tell('monitors', MEGABYTE)
      told++
      await breathe()
    }
    expect(told).toBeLessThan(PLENTY)
    expect(stream.destroyed).toBe(true)
    stream.tell('monitors', MEGABYTE)
    stream.beat()
    expect(stream.readableLength).toBeLessThan(6_000_000)
  })

  it('is not cut off from one who reads, however much it is', async () => {
    let read = 0
    socket.on('data', (chunk) => {
      read += chunk.length
    })
    for (let told = 0; told < 50; told++) {
      stream.tell('monitors', MEGABYTE)
      while (stream.readableLength > 0 || response.writableLength > 0) await breathe()
    }
    expect(stream.destroyed).toBe(false)
    expect(read).toBeGreaterThan(40_000_000)
  })

  it('ends at once where nobody reads', async () => {
    socket.pause()
    for (let told = 0; told < PLENTY && stream.readableLength === 0; told++) {
      stream.tell('monitors', MEGABYTE)
      await breathe()
    }
    expect(stream.destroyed).toBe(false)
    stream.close()
    expect(stream.destroyed).toBe(true)
  })
})
