/**
 * Tells systemd that the server is starting, ready or stopping, if systemd started it. The messages go to a Unix datagram socket,
 * which Node can't open, so `systemd-notify` sends them. It waits until systemd has read each one.
 */
import { execFile } from 'node:child_process'
import type { Logger } from 'pino'
import { SYSTEM_PATH } from './system-path.ts'

/** Each message gives the start this much more time. Migrations of a large database can take longer than any fixed limit. */
const START_EXTENSION_MS = 300_000
const START_MESSAGE_INTERVAL_MS = 60_000
const SEND_TIMEOUT_MS = 5_000

export class ServiceManager {
  readonly #socket: string | undefined
  readonly #log: Logger
  #startTimer: NodeJS.Timeout | undefined
  /** Messages are sent one after another, because a later status must not arrive first. */
  #sending: Promise<void> = Promise.resolve()

  /** `socket` is undefined if systemd doesn't wait for messages. Then all methods do nothing. */
  constructor(socket: string | undefined, log: Logger) {
    this.#socket = socket
    this.#log = log
  }

  /** Call it when the start begins. As long as this process can send messages, systemd doesn't abort a slow start. */
  reportStarting(): void {
    const send = () => void this.#send(['STATUS=Starting', formatExtension(START_EXTENSION_MS)])
    send()
    this.#startTimer = setInterval(send, START_MESSAGE_INTERVAL_MS).unref()
  }

  async reportReady(status: string): Promise<void> {
    clearInterval(this.#startTimer)
    await this.#send(['READY=1', `STATUS=${status}`])
  }

  /** systemd kills the process if it is still running after `maxStopMs`. */
  async reportStopping(maxStopMs: number): Promise<void> {
    clearInterval(this.#startTimer)
    await this.#send(['STOPPING=1', 'STATUS=Stopping', formatExtension(maxStopMs)])
  }

  #send(assignments: string[]): Promise<void> {
    const socket = this.#socket
    if (socket === undefined) return Promise.resolve()
    this.#sending = this.#sending.then(async () => {
      const error = await runSystemdNotify(socket, assignments)
      // If systemd receives no READY=1, it ends the server when the start takes too long. The log tells the operator
      // why.
      if (error !== null)
        this.#log.warn({ err: error }, 'systemd-notify failed, so systemd does not know the state of Belfry')
    })
    return this.#sending
  }
}

const formatExtension = (ms: number) => `EXTEND_TIMEOUT_USEC=${ms * 1000}`

function runSystemdNotify(socket: string, assignments: string[]): Promise<Error | null> {
  const options = { env: { PATH: SYSTEM_PATH, NOTIFY_SOCKET: socket }, timeout: SEND_TIMEOUT_MS }
  return new Promise((resolve) => {
    execFile('systemd-notify', assignments, options, resolve)
  })
}
