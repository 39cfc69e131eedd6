/** `BELFRY_CANARIES`: addresses that tell whether our own network is up. */
import { connect } from 'node:net'

const PATIENCE_MS = 3_000

export interface Canary {
  readonly host: string
  readonly port: number
}

/** Whether any of them takes a connection. The operator named them, so they are not vetted. */
export async function reachesAny(canaries: readonly Canary[]): Promise<boolean> {
  const tries = canaries.map(async (canary) => {
    if (!(await reaches(canary))) throw new Error('unreachable')
  })
  return Promise.any(tries).then(
    () => true,
    () => false,
  )
}

function reaches({ host, port }: Canary): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PATIENCE_MS, autoSelectFamily: true })
    const end = (isReached: boolean) => {
      socket.destroy()
      resolve(isReached)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    // Also what refuses us was reached, but a dead gateway's proxy refuses as well: only a connection counts.
    socket.once('error', () => end(false))
  })
}
