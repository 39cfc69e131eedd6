/** The errors that sending a message can throw. Any other error is a bug. */

interface DeliveryErrorDetails {
  response?: string
  permanent?: boolean
  uncertain?: boolean
  retryAfterSeconds?: number | undefined
  interrupted?: boolean
}

export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  /** What the receiver responded. It may repeat secrets, so show it only after redaction. */
  readonly response: string
  /** Whether every retry would fail, too. */
  readonly permanent: boolean
  /** Whether the message may have arrived, although Belfry received no response. */
  readonly uncertain: boolean
  /** How long the receiver asked us to wait. */
  readonly retryAfterSeconds: number | undefined
  /** Whether this server interrupted the attempt. Then the error says nothing about the receiver. */
  readonly interrupted: boolean

  /** The summary has no full stop, so that the response can follow it. */
  constructor(summary: string, details: DeliveryErrorDetails = {}) {
    super(summary)
    this.response = details.response ?? ''
    this.permanent = details.permanent ?? false
    this.uncertain = details.uncertain ?? false
    this.retryAfterSeconds = details.retryAfterSeconds
    this.interrupted = details.interrupted ?? false
  }

  get sentence(): string {
    return `${[this.message, this.response].filter(Boolean).join(': ')}.`
  }
}

/** The message was not sent because a limit is used up. It can be sent after `retryAfterSeconds`. */
export class DeliveryPostponed extends Error {
  override readonly name = 'DeliveryPostponed'
  readonly retryAfterSeconds: number

  constructor(sentence: string, retryAfterSeconds: number) {
    super(sentence)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The recipient no longer wants the message. */
export class DeliveryCancelled extends Error {
  override readonly name = 'DeliveryCancelled'
}
