import { STARTING_DETAIL, STOPPING_DETAIL } from '../lib/problem.ts'

/** Whether the server is starting, running or stopping. `/readyz` responds with 200 only while it is running. */
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
