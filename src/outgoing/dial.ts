/** Connects to one of several addresses (RFC 8305): when an attempt takes long, the next one starts in parallel. */
import { connect, type Socket } from 'node:net'
import type { Guard, ResolvedAddress } from './guard.ts'

/** How long an attempt runs alone before the next one starts. */
const ATTEMPT_DELAY_MS = 300
const MAX_ATTEMPTS = 4

export interface DialAttempt {
  /** The latest address tried. */
  address: string
  /** Stops all attempts. No callback runs after it. */
  cancel(): void
}

export interface DialFailure {
  error: Error
  address: string
}

interface DialCallbacks {
  connected(socket: Socket, address: string): void
  /** Every address failed; at least one, in this order. */
  failed(failures: DialFailure[]): void
}

/** `addresses` must be vetted. The receiver of the socket must handle its errors. */
export function dial(
  guard: Guard,
  { host, port }: { host: string; port: number },
  addresses: readonly ResolvedAddress[],
  callbacks: DialCallbacks,
): DialAttempt {
  const candidates = addresses.length === 1 ? addresses : interleave(addresses).slice(0, MAX_ATTEMPTS)
  const failures: DialFailure[] = []
  let open: Socket[] = []
  let started = 0
  let timer: NodeJS.Timeout | undefined

  const attempt: DialAttempt = {
    address: '',
    cancel() {
      clearTimeout(timer)
      started = candidates.length
      const remaining = open
      open = []
      for (const socket of remaining) socket.destroy()
    },
  }

  function startNext(): void {
    clearTimeout(timer)
    const { address } = candidates[started++] as ResolvedAddress
    attempt.address = address
    const socket = connect(port, address)
    open.push(socket)
    // This listener stays, because an error after cancel() must not become an uncaught exception.
    socket.on('error', (error) => fail(socket, address, error))
    socket.once('connect', () => {
      const fault = socket.remoteAddress === address ? undefined : guard.findConnectionFault(host, socket)
      if (fault !== undefined) fail(socket, address, fault)
      else succeed(socket, address)
    })
    if (started < candidates.length) timer = setTimeout(startNext, ATTEMPT_DELAY_MS)
  }

  function succeed(socket: Socket, address: string): void {
    if (!open.includes(socket)) return
    open = open.filter((one) => one !== socket)
    attempt.cancel()
    attempt.address = address
    callbacks.connected(socket, address)
  }

  function fail(socket: Socket, address: string, error: Error): void {
    if (!open.includes(socket)) return
    open = open.filter((one) => one !== socket)
    socket.destroy()
    failures.push({ error, address })
    if (started < candidates.length) startNext()
    else if (open.length === 0) callbacks.failed(failures)
  }

  startNext()
  return attempt
}

/** Alternates address families, starting with that of the first address, so that a broken family costs only one attempt. */
function interleave(addresses: readonly ResolvedAddress[]): ResolvedAddress[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family)
  const others = addresses.filter(({ family }) => family !== addresses[0]?.family)
  const longest = Math.max(first.length, others.length)
  return Array.from({ length: longest }, (_, index) => [first[index], others[index]])
    .flat()
    .filter((address) => address !== undefined)
}
