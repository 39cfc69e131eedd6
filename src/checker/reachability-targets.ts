/** The reachability targets from `BELFRY_CANARIES`: if none accepts connections, our own network is down. */
import { connect } from 'node:net'

const CONNECT_TIMEOUT_MS = 3_000

export interface ReachabilityTarget {
  readonly host: string
  readonly port: number
}

/**
 * Whether any target accepts a connection. The operator chose these targets, so they may have private addresses, which the
 * guard would refuse.
 */
export function isAnyReachable(targets: readonly ReachabilityTarget[]): Promise<boolean> {
  return waitForAnySuccess(targets.map(isReachable))
}

/** Resolves with true as soon as one attempt does, and with false if none does. */
export async function waitForAnySuccess(attempts: readonly Promise<boolean>[]): Promise<boolean> {
  const successes = attempts.map(async (attempt) => {
    if (!(await attempt)) throw new Error('no success')
  })
  return Promise.any(successes).then(
    () => true,
    () => false,
  )
}

function isReachable({ host, port }: ReachabilityTarget): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS, autoSelectFamily: true })
    const end = (isConnected: boolean) => {
      socket.destroy()
      resolve(isConnected)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    // A refused connection does not prove that the target was reached: a gateway without internet access may refuse it.
    socket.once('error', () => end(false))
  })
}
