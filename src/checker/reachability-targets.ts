/** The reachability targets of `BELFRY_CANARIES`: servers that show whether our own network is up. */
import { connect } from 'node:net'

const CONNECT_TIMEOUT_MS = 3_000

export interface ReachabilityTarget {
  readonly host: string
  readonly port: number
}

/** Whether any of them accepts a connection. The operator chose them, so the guard does not vet their addresses. */
export async function isAnyReachable(targets: readonly ReachabilityTarget[]): Promise<boolean> {
  const attempts = targets.map(async (target) => {
    if (!(await isReachable(target))) throw new Error('unreachable')
  })
  return Promise.any(attempts).then(
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
    // A refused connection does not prove that the target was reached: a proxy of a broken gateway refuses too.
    socket.once('error', () => end(false))
  })
}
