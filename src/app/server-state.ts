/** Whether the server is starting, running or stopping. `/readyz` responds with 200 only while it is running. */
const unreadyReasons = {
  starting: 'The server is starting.',
  running: undefined,
  stopping: 'The server is stopping.',
} as const

export class ServerState {
  phase: keyof typeof unreadyReasons = 'starting'

  get unreadyReason(): string | undefined {
    return unreadyReasons[this.phase]
  }
}
