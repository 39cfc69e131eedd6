/** Sends messages to one DNS server, over UDP and over TCP. The address must have been vetted before. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { isIPv6, type Socket } from 'node:net'
import { type DialOperation, dial } from '../../../outgoing/dial.ts'
import type { Guard } from '../../../outgoing/guard.ts'
import { closeSocket } from '../close-socket.ts'
import { MAX_MESSAGE_BYTES } from './message.ts'

export interface DnsServer {
  address: string
  port: number
}

interface ExchangeCallbacks {
  onMessage(message: Buffer): void
  onError(error: Error): void
}

/** The socket is connected, so the system drops packets from other addresses and ports. */
export class UdpExchange {
  readonly #socket: UdpSocket
  readonly #unsentMessages: Buffer[] = []
  #isConnected = false
  #isClosed = false

  constructor(guard: Guard, { address, port }: DnsServer, { onMessage, onError }: ExchangeCallbacks) {
    this.#socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    // This listener stays, because an error after close() must not become an uncaught exception.
    this.#socket.on('error', (error) => this.#isClosed || onError(error))
    this.#socket.on('message', (message) => this.#isClosed || onMessage(message))
    this.#socket.once('connect', () => {
      if (this.#isClosed) return
      const remoteAddress = this.#socket.remoteAddress().address
      const fault = remoteAddress === address ? undefined : guard.findConnectionFault(address, { remoteAddress })
      if (fault !== undefined) {
        onError(fault)
        return
      }
      this.#isConnected = true
      for (const message of this.#unsentMessages) this.#socket.send(message)
    })
    this.#socket.connect(port, address)
  }

  send(message: Buffer): void {
    if (this.#isConnected) this.#socket.send(message)
    else this.#unsentMessages.push(message)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.close()
  }
}

/** Over TCP, two bytes with the length precede each message. */
const LENGTH_BYTES = 2

export class TcpExchange {
  readonly #callbacks: ExchangeCallbacks
  readonly #dialOperation: DialOperation
  readonly #chunks: Buffer[] = []
  #receivedBytes = 0
  #socket: Socket | undefined

  constructor(guard: Guard, { address, port }: DnsServer, message: Buffer, callbacks: ExchangeCallbacks) {
    this.#callbacks = callbacks
    const family = isIPv6(address) ? 6 : 4
    this.#dialOperation = dial(guard, { host: address, port }, [{ address, family }], {
      onConnect: (socket) => this.#exchange(socket, message),
      onFailure: ([failure]) => callbacks.onError(failure?.error as Error),
    })
  }

  close(): void {
    this.#dialOperation.cancel()
    if (this.#socket !== undefined) closeSocket(this.#socket)
  }

  #exchange(socket: Socket, message: Buffer): void {
    this.#socket = socket
    const lengthPrefix = Buffer.alloc(LENGTH_BYTES)
    lengthPrefix.writeUInt16BE(message.length)
    socket.on('error', this.#callbacks.onError)
    socket.on('data', (chunk: Buffer) => this.#read(chunk))
    socket.once('end', () => this.#callbacks.onError(Object.assign(new Error('closed'), { code: 'EPIPE' })))
    socket.write(Buffer.concat([lengthPrefix, message]))
  }

  #read(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#receivedBytes += chunk.length
    if (this.#receivedBytes < LENGTH_BYTES) return
    const length = this.#readLength()
    // Read at most one byte beyond the limit: that is enough to reject the message because of its length.
    const neededBytes = LENGTH_BYTES + Math.min(length, MAX_MESSAGE_BYTES + 1)
    if (this.#receivedBytes < neededBytes) return
    this.#callbacks.onMessage(Buffer.concat(this.#chunks).subarray(LENGTH_BYTES, neededBytes))
  }

  #readLength(): number {
    const [first = Buffer.alloc(0), second] = this.#chunks
    return first.length >= LENGTH_BYTES ? first.readUInt16BE(0) : ((first[0] as number) << 8) | (second?.[0] as number)
  }
}
