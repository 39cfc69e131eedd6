/** A connection to one of several addresses, as RFC 8305 has it: the next is tried when the one before takes its time. */
import { connect, type Socket } from 'node:net'
import type { Guard, ResolvedAddress } from './guard.ts'

const HEAD_START_MS = 300
const MOST = 4

export interface Dialling {
  /** The address that was tried last. */
  address: string
  /** Ends every attempt; nothing is reported any more. */
  giveUp(): void
}

export interface Failure {
  error: Error
  address: string
}

interface Done {
  connected(socket: Socket, address: string): void
  /** Every address was tried, in this order. At least one. */
  failed(failures: Failure[]): void
}

/** `addresses` are vetted ones. Whoever takes over the socket listens for its errors from then on. */
export function dial(
  guard: Guard,
  { host, port }: { host: string; port: number },
  addresses: readonly ResolvedAddress[],
  done: Done,
): Dialling {
  const turns = addresses.length === 1 ? addresses : interleave(addresses).slice(0, MOST)
  const failures: Failure[] = []
  let open: Socket[] = []
  let tried = 0
  let timer: NodeJS.Timeout | undefined

  const dialling: Dialling = {
    address: '',
    giveUp() {
      clearTimeout(timer)
      tried = turns.length
      const left = open
      open = []
      for (const socket of left) socket.destroy()
    },
  }

  function next(): void {
    clearTimeout(timer)
    const { address } = turns[tried++] as ResolvedAddress
    dialling.address = address
    const socket = connect(port, address)
    open.push(socket)
    // Stays for good: an error that comes after we gave up is nobody's.
    socket.on('error', (error) => lose(socket, address, error))
    socket.once('connect', () => {
      const fault = socket.remoteAddress === address ? undefined : guard.findFault(host, socket)
      if (fault !== undefined) lose(socket, address, fault)
      else win(socket, address)
    })
    if (tried < turns.length) timer = setTimeout(next, HEAD_START_MS)
  }

  function win(socket: Socket, address: string): void {
    if (!open.includes(socket)) return
    open = open.filter((one) => one !== socket)
    dialling.giveUp()
    dialling.address = address
    done.connected(socket, address)
  }

  function lose(socket: Socket, address: string, error: Error): void {
    if (!open.includes(socket)) return
    open = open.filter((one) => one !== socket)
    socket.destroy()
    failures.push({ error, address })
    if (tried < turns.length) next()
    else if (open.length === 0) done.failed(failures)
  }

  next()
  return dialling
}

/** One family after the other, beginning with that of the first: where one of them is broken, the second try is fine. */
function interleave(addresses: readonly ResolvedAddress[]): ResolvedAddress[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family)
  const others = addresses.filter(({ family }) => family !== addresses[0]?.family)
  const longest = Math.max(first.length, others.length)
  return Array.from({ length: longest }, (_, place) => [first[place], others[place]])
    .flat()
    .filter((address) => address !== undefined)
}
