/** Connects to one of several addresses (RFC 8305): when an attempt takes long, the next one starts in parallel. */
import { connect, type Socket } from 'node:net'
import type { Guard, ResolvedAddress } from './guard.ts'

/** How long an attempt runs alone before the next one starts. */
const ATTEMPT_DELAY_MS = 300
const MAX_ATTEMPTS = 4

/** The attempts of one call of `dial`. */
export interface DialOperation {
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
  onConnect(socket: Socket, address: string): void
  /** Called when every attempt has failed, with one failure per attempt in the order they failed. */
  onFailure(failures: DialFailure[]): void
}

/** The guard must have allowed all `addresses` before. The `onConnect` callback must add an error listener to the socket. */
export function dial(
  guard: Guard,
  { host, port }: { host: string; port: number },
  addresses: readonly ResolvedAddress[],
  callbacks: DialCallbacks,
): DialOperation {
  const candidates = addresses.length === 1 ? addresses : interleave(addresses).slice(0, MAX_ATTEMPTS)
  const failures: DialFailure[] = []
  let openSockets: Socket[] = []
  let nextIndex = 0
  let timer: NodeJS.Timeout | undefined

  const operation: DialOperation = {
    address: '',
    cancel() {
      clearTimeout(timer)
      nextIndex = candidates.length
      const socketsToClose = openSockets
      openSockets = []
      for (const socket of socketsToClose) socket.destroy()
    },
  }

  function startNextAttempt(): void {
    clearTimeout(timer)
    const { address } = candidates[nextIndex++] as ResolvedAddress
    operation.address = address
    const socket = connect(port, address)
    openSockets.push(socket)
    // This listener stays, because an error after cancel() must not become an uncaught exception.
    socket.on('error', (error) => fail(socket, address, error))
    socket.once('connect', () => {
      const fault = socket.remoteAddress === address ? undefined : guard.findConnectionFault(host, socket)
      if (fault !== undefined) fail(socket, address, fault)
      else succeed(socket, address)
    })
    if (nextIndex < candidates.length) timer = setTimeout(startNextAttempt, ATTEMPT_DELAY_MS)
  }

  function succeed(socket: Socket, address: string): void {
    if (!openSockets.includes(socket)) return
    openSockets = openSockets.filter((other) => other !== socket)
    operation.cancel()
    operation.address = address
    callbacks.onConnect(socket, address)
  }

  function fail(socket: Socket, address: string, error: Error): void {
    if (!openSockets.includes(socket)) return
    openSockets = openSockets.filter((other) => other !== socket)
    socket.destroy()
    failures.push({ error, address })
    if (nextIndex < candidates.length) startNextAttempt()
    else if (openSockets.length === 0) callbacks.onFailure(failures)
  }

  startNextAttempt()
  return operation
}

/**
 * Alternates between IPv4 and IPv6, starting with the family of the first address. If one family is broken, the second
 * attempt uses the other.
 */
function interleave(addresses: readonly ResolvedAddress[]): ResolvedAddress[] {
  const firstFamily = addresses.filter(({ family }) => family === addresses[0]?.family)
  const otherFamily = addresses.filter(({ family }) => family !== addresses[0]?.family)
  const maxLength = Math.max(firstFamily.length, otherFamily.length)
  return Array.from({ length: maxLength }, (_, index) => [firstFamily[index], otherFamily[index]])
    .flat()
    .filter((address) => address !== undefined)
}
