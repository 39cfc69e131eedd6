import { STARTING_DETAIL, STOPPING_DETAIL } from '../lib/problem.ts'

/** For each state of the server, why it is not ready. `/readyz` responds with 200 only while it is running. */
const unreadyReasons = {
  starting: STARTING_DETAIL,
  running: undefined,
  stopping: STOPPING_DETAIL,
} as const

export class ServerState {
  phase: keyof typeof unreadyReasons = 'starting'

  get unreadyReason(): string | undefined {
    return unreadyReasons[this.phase]
  }
}
