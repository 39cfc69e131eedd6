/** What every kind of provider is made of. A new kind is one file in kinds/ and one line in kinds.ts. */
import type { Reading } from '../lib/reading.ts'
import type { Transports } from './transports.ts'

export interface Message {
  /** The same each time that this message is sent, so that a repeat can be told. */
  id: string
  /** What it is about, in a line. */
  title: string
  text: string
  /** Where there is more to see. */
  link?: string
}

export const linkLineOf = ({ link }: Message) => (link === undefined ? '' : `More: ${link}`)

export const textWithoutLink = ({ title, text }: Message) => `${title}\n${text}`

export const textOf = (message: Message) => [textWithoutLink(message), linkLineOf(message)].filter(Boolean).join('\n')

/** What a field has to keep to, beyond its schema, on this server. */
export interface Rules {
  /** Whether webhooks may be http: only where private targets are allowed at all. */
  allowsHttp: boolean
}

export interface Field {
  description: string
  example: string
  /** JSON Schema of what may be sent: a text, if it does not say otherwise. */
  schema: {
    type?: string[]
    minLength?: number
    maxLength: number
    minimum?: number
    maximum?: number
    format?: string
  }
  required: boolean
  /** Kept encrypted, and never shown but for its end. */
  secret: boolean
  read?: (text: string, rules: Rules) => Reading<string>
}

/** null: an optional field that is not set. */
export type Settings<Name extends string = string> = Record<Name, string | null>

export interface Means {
  transports: Transports
  /** Ends the attempt when its time is over. */
  signal: AbortSignal
}

export interface Kind<Name extends string = string> {
  /** What people call it. */
  label: string
  /** Stands behind "Test notification", so that nobody takes it for an alarm; a text message has none. */
  testMark: string
  /** So many messages of this kind are on their way at once. */
  atOnce: number
  fields: Record<Name, Field>
  /** Resolves with what the other side said; rejects with a DeliveryError. */
  send(settings: Settings<Name>, message: Message, means: Means): Promise<string>
}

interface Failure {
  /** In the words of the other side, which may repeat secrets: the courier takes them out. */
  said?: string
  permanent?: boolean
  uncertain?: boolean
  retryAfterSeconds?: number | undefined
  cutOff?: boolean
}

export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  readonly said: string
  /** Trying again will not help. */
  readonly permanent: boolean
  /** It may have arrived all the same: the answer was lost. */
  readonly uncertain: boolean
  /** How long the other side wants to be left alone. */
  readonly retryAfterSeconds: number | undefined
  /** This server stopped before there was an answer, which says nothing about the other side. */
  readonly cutOff: boolean

  /** The summary is a sentence without its end. */
  constructor(summary: string, failure: Failure = {}) {
    super(summary)
    this.said = failure.said ?? ''
    this.permanent = failure.permanent ?? false
    this.uncertain = failure.uncertain ?? false
    this.retryAfterSeconds = failure.retryAfterSeconds
    this.cutOff = failure.cutOff ?? false
  }

  get sentence(): string {
    return `${[this.message, this.said].filter(Boolean).join(': ')}.`
  }
}
