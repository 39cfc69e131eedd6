/** A name server on loopback, over UDP and TCP, with responses that the test chooses. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import dnsPacket, { type Answer, type DecodedPacket } from 'dns-packet'
import { onTestFinished } from 'vitest'

const codes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 }

export interface DnsReply {
  code?: keyof typeof codes
  answers?: Answer[]
  isTruncated?: boolean
  /** The id and name in the response. Default: those of the query. */
  id?: number
  name?: string
}

export interface ReceivedQuery {
  name: string
  type: string
  transport: 'udp' | 'tcp'
  hasEdns: boolean
  packet: DecodedPacket
  /** The connection of a query over TCP. */
  socket?: Socket
}

/** A function that sends its own packets returns undefined. The server then sends nothing more. */
type Respond = (
  query: ReceivedQuery,
  send: (message: Buffer) => void,
) => DnsReply | Buffer | undefined | Promise<DnsReply>

export interface NameServer {
  /** `127.0.0.1:port` */
  serverAddress: string
  queries: ReceivedQuery[]
}

export async function startNameServer(respond: Respond): Promise<NameServer> {
  const queries: ReceivedQuery[] = []

  async function handle(message: Buffer, send: (response: Buffer) => void, socket?: Socket): Promise<void> {
    const packet = dnsPacket.decode(message)
    const { name = '', type = '' } = packet.questions?.[0] ?? {}
    const hasEdns = packet.additionals?.some((record) => record.type === 'OPT') === true
    const transport = socket === undefined ? 'udp' : 'tcp'
    const query: ReceivedQuery = {
      name: name.toLowerCase(),
      type,
      transport,
      hasEdns,
      packet,
      ...(socket && { socket }),
    }
    queries.push(query)
    const reply = await respond(query, send)
    if (reply !== undefined) send(Buffer.isBuffer(reply) ? reply : encodeReply(packet, reply))
  }

  const { udp, tcp, port } = await listenOnBoth()
  udp.on('message', (message, from) => {
    void handle(message, (response) => udp.send(response, from.port, from.address, () => {}))
  })
  const sockets = new Set<Socket>()
  tcp.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', (data) => {
      void handle(Buffer.from(data).subarray(2), (response) => socket.write(withLength(response)), socket)
    })
  })
  onTestFinished(() => {
    udp.close()
    for (const socket of sockets) socket.destroy()
    tcp.close()
  })
  return { serverAddress: `127.0.0.1:${port}`, queries }
}

/** The port that is free for UDP may be taken for TCP. */
async function listenOnBoth(): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  for (;;) {
    const udp = createSocket('udp4')
    udp.bind(0, '127.0.0.1')
    await once(udp, 'listening')
    const { port } = udp.address()
    const tcp = createServer().listen(port, '127.0.0.1')
    const isListening = await once(tcp, 'listening').then(
      () => true,
      () => false,
    )
    if (isListening) return { udp, tcp, port }
    udp.close()
  }
}

export function encodeReply(query: DecodedPacket, { code = 'NOERROR', answers = [], isTruncated, id, name }: DnsReply) {
  return dnsPacket.encode({
    type: 'response',
    id: id ?? query.id ?? 0,
    flags:
      dnsPacket.RECURSION_DESIRED |
      dnsPacket.RECURSION_AVAILABLE |
      (isTruncated ? dnsPacket.TRUNCATED_RESPONSE : 0) |
      codes[code],
    questions: (query.questions ?? []).map((question) => (name === undefined ? question : { ...question, name })),
    answers,
  })
}

/** Over TCP, the length precedes each message. */
export function withLength(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

type AddressQuestion = `${'A' | 'AAAA'} ${string}`
type AddressAnswer = string[] | 'no such name' | 'server failure' | 'silence'

const replies = { 'no such name': { code: 'NXDOMAIN' }, 'server failure': { code: 'SERVFAIL' } } as const

/**
 * Starts a name server with these answers. To any other question, it responds that the name doesn't exist. Returns the
 * server's address, and the list of received queries.
 */
export async function serveNames(
  answers: Record<AddressQuestion, AddressAnswer>,
): Promise<{ serverAddress: string; queries: AddressQuestion[] }> {
  const queries: AddressQuestion[] = []
  const { serverAddress } = await startNameServer(({ name, type }) => {
    const question = `${type} ${name}` as AddressQuestion
    queries.push(question)
    const answer = answers[question] ?? 'no such name'
    if (answer === 'silence') return undefined
    if (typeof answer === 'string') return replies[answer]
    return { answers: answer.map((data) => ({ type: type as 'A' | 'AAAA', name, ttl: 60, data })) }
  })
  return { serverAddress, queries }
}
