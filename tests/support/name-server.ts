/** A name server on loopback with responses that the test chooses. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'
import { onTestFinished } from 'vitest'

export type Question = `${'A' | 'AAAA'} ${string}`
type Answer = string[] | 'no such name' | 'server failure' | 'silence'

const responseCodes = { 'no such name': 3, 'server failure': 2 }

/**
 * Starts a name server with these answers. It responds to any other question that the name doesn't exist. Returns the
 * server's address, and the list of received queries.
 */
export async function serveNames(
  answers: Record<Question, Answer>,
): Promise<{ serverAddress: string; queries: Question[] }> {
  const queries: Question[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const question = readQuestion(query)
    queries.push(question)
    const answer = answers[question] ?? 'no such name'
    if (answer !== 'silence') socket.send(encodeResponse(query, answer), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => {
    socket.close()
  })
  return { serverAddress: `127.0.0.1:${socket.address().port}`, queries }
}

const HEADER_BYTES = 12

function readQuestion(query: Buffer): Question {
  const labels: string[] = []
  let offset = HEADER_BYTES
  while (query[offset] !== 0) {
    const length = query[offset] as number
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length))
    offset += 1 + length
  }
  return `${query.readUInt16BE(offset + 1) === 28 ? 'AAAA' : 'A'} ${labels.join('.').toLowerCase()}`
}

/** Repeats the question without the options that c-ares adds, and appends the addresses. */
function encodeResponse(query: Buffer, answer: Exclude<Answer, 'silence'>): Buffer {
  const questionEnd = query.indexOf(0, HEADER_BYTES) + 5
  const head = Buffer.from(query.subarray(0, questionEnd))
  const addresses = typeof answer === 'string' ? [] : answer
  head.writeUInt16BE(0x8180 | (typeof answer === 'string' ? responseCodes[answer] : 0), 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, ...addresses.map(encodeRecord)])
}

function encodeRecord(address: string): Buffer {
  const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, bytes.length])
  return Buffer.concat([head, bytes])
}
