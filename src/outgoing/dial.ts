/** Connects to one of several addresses (RFC 8305): when an attempt takes long, the next one starts in parallel. */
import { connect, type Socket } from 'node:net'
import type { Guard, ResolvedAddress } from './guard.ts'

/** How long an attempt runs alone before the next one starts. */
const ATTEMPT_DELAY_MS = 300
const MAX_ATTEMPTS = 4

export interface DialAttempt {
  /** The address of the latest attempt, or of the one that succeeded. */
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
  /** Called when every attempt has failed, with one failure per attempt in the order they failed. */
  failed(failures: DialFailure[]): void
}

/** Takes vetted addresses only. The `connected` callback must add an error listener to the socket. */
export function dial(
  guard: Guard,
  { host, port }: { host: string; port: number },
  addresses: readonly ResolvedAddress[],
  callbacks: DialCallbacks,
): DialAttempt {
  const candidates = addresses.length === 1 ? addresses : interleave(addresses).slice(0, MAX_ATTEMPTS)
  const failures: DialFailure[] = []
  let openSockets: Socket[] = []
  let startedCount = 0
  let timer: NodeJS.Timeout | undefined

  const attempt: DialAttempt = {
    address: '',
    cancel() {
      clearTimeout(timer)
      startedCount = candidates.length
      const remaining = openSockets
      openSockets = []
      for (const socket of remaining) socket.destroy()
    },
  }

  function startNext(): void {
    clearTimeout(timer)
    const { address } = candidates[startedCount++] as ResolvedAddress
    attempt.address = address
    const socket = connect(port, address)
    openSockets.push(socket)
    // This listener stays, because an error after cancel() must not become an uncaught exception.
    socket.on('error', (error) => fail(socket, address, error))
    socket.once('connect', () => {
      const fault = socket.remoteAddress === address ? undefined : guard.findConnectionFault(host, socket)
      if (fault !== undefined) fail(socket, address, fault)
      else succeed(socket, address)
    })
    if (startedCount < candidates.length) timer = setTimeout(startNext, ATTEMPT_DELAY_MS)
  }

  function succeed(socket: Socket, address: string): void {
    if (!openSockets.includes(socket)) return
    openSockets = openSockets.filter((other) => other !== socket)
    attempt.cancel()
    attempt.address = address
    callbacks.connected(socket, address)
  }

  function fail(socket: Socket, address: string, error: Error): void {
    if (!openSockets.includes(socket)) return
    openSockets = openSockets.filter((other) => other !== socket)
    socket.destroy()
    failures.push({ error, address })
    if (startedCount < candidates.length) startNext()
    else if (openSockets.length === 0) callbacks.failed(failures)
  }

  startNext()
  return attempt
}

/** Alternates between IPv4 and IPv6, starting with the family of the first address, so that a broken family costs only one attempt. */
function interleave(addresses: readonly ResolvedAddress[]): ResolvedAddress[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family)
  const others = addresses.filter(({ family }) => family !== addresses[0]?.family)
  const longest = Math.max(first.length, others.length)
  return Array.from({ length: longest }, (_, index) => [first[index], others[index]])
    .flat()
    .filter((address) => address !== undefined)
}
