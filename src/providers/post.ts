/** One POST to a service that passes messages on. */
import { type Dispatcher, request } from 'undici'
import { networkFault } from '../lib/outgoing/network-fault.ts'
import { DeliveryError, type Message } from './provider.ts'

/** Services answer in a line or two; whoever sends more is not read to the end. */
const ANSWER_BYTES = 4_096
const SHOWN_CHARACTERS = 200

export interface Post {
  /** Who is spoken to, in an error. */
  service: string
  url: string
  headers: Record<string, string>
  body: string
  message: Message
  dispatcher: Dispatcher
  signal: AbortSignal
}

export interface ServiceAnswer {
  status: number
  text: string
  /** The text as JSON, where it is an object. */
  json: Record<string, unknown>
}

export async function post(options: Post): Promise<ServiceAnswer> {
  const { service, url, headers, body, message, dispatcher, signal } = options
  let answered: Dispatcher.ResponseData
  try {
    answered = await request(url, {
      method: 'POST',
      headers: { 'user-agent': 'Belfry', 'x-belfry-message-id': message.id, ...headers },
      body,
      dispatcher,
      signal,
    })
  } catch (error) {
    throw failure(service, error, signal)
  }
  const text = await readStart(answered.body).catch((error) => {
    throw failure(service, error, signal)
  })
  return { status: answered.statusCode, text, json: objectOf(text) }
}

function failure(service: string, error: unknown, signal: AbortSignal): DeliveryError {
  if (signal.aborted) return new DeliveryError(`${service} did not answer in time.`, { uncertain: true })
  const fault = networkFault(error)
  if (fault === undefined) throw error
  // A connection that never came about brought nothing across.
  const uncertain = fault.cause === 'timeout' || /closed|reset/.test(fault.sentence)
  const sentence = fault.cause === 'blocked' ? `${fault.sentence}.` : `${service} was not reached: ${fault.sentence}.`
  return new DeliveryError(sentence, { permanent: fault.cause === 'blocked', uncertain })
}

async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of body) {
    pieces.push(piece)
    length += piece.length
    if (length >= ANSWER_BYTES) break
  }
  return Buffer.concat(pieces).toString('utf8', 0, ANSWER_BYTES).trim()
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    return value !== null && typeof value === 'object' ? value : {}
  } catch {
    return {}
  }
}

/** What a service said, in a line that can stand in a sentence. */
export function said(text: unknown): string {
  const line = String(text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line
}

/** "answered 404: no_service" */
export function refusal(service: string, status: number, text: unknown, permanent: boolean): DeliveryError {
  const words = said(text)
  return new DeliveryError(`${service} answered ${status}${words === '' ? '' : `: ${words}`}.`, { permanent })
}

/** Statuses after which the same request may be taken another time. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}
