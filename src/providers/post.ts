/** One POST to a service that passes messages on. */
import type { Dispatcher } from 'undici'
import { mayHaveArrived, networkFault } from '../outgoing/network-fault.ts'
import { DeliveryError, type Message } from './provider.ts'

/** Telegram repeats the whole message, each of its characters as six. */
const ANSWER_BYTES = 65_536
/** The status says what became of the message; words that come so late are not waited for. */
const WORDS_MS = 2_000

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
  /** Whether that is all of it. */
  isWhole: boolean
  /** The text as JSON, where it is an object. */
  json: Record<string, unknown>
  /** What its header says. */
  retryAfterSeconds: number | undefined
}

export async function post(options: Post): Promise<ServiceAnswer> {
  const { service, url, headers, body, message, dispatcher, signal } = options
  const { request } = await import('undici')
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
  const { text, isWhole } = await readStart(answered.body)
  return {
    status: answered.statusCode,
    text,
    isWhole,
    json: objectOf(text),
    retryAfterSeconds: secondsOf(answered.headers['retry-after'], answered.headers['date']),
  }
}

/** It may also be a time, to be compared with that of the same clock. */
function secondsOf(header: unknown, date: unknown): number | undefined {
  const text = String(header ?? '')
  if (/^\d+$/.test(text)) return Number(text)
  const seconds = (Date.parse(text) - Date.parse(String(date ?? ''))) / 1000
  return seconds > 0 ? seconds : undefined
}

function failure(service: string, error: unknown, signal: AbortSignal): DeliveryError {
  if (signal.aborted) return new DeliveryError(`${service} did not answer in time`, { uncertain: true })
  const fault = networkFault(error)
  if (fault?.cause === 'blocked') return new DeliveryError(fault.sentence, { permanent: true })
  // Whatever undici makes of a server that does not speak HTTP: it is no fault of ours.
  const sentence = fault?.sentence ?? 'the connection failed'
  return new DeliveryError(`${service} was not reached: ${sentence}`, { uncertain: mayHaveArrived(fault) })
}

/** As far as it comes: when its status is here, a message is taken or refused, whatever becomes of the words. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<{ text: string; isWhole: boolean }> {
  const pieces: Buffer[] = []
  let length = 0
  let isWhole = true
  const giveUp = () => {
    isWhole = false
    body.destroy()
  }
  const timer = setTimeout(giveUp, WORDS_MS)
  try {
    for await (const piece of body) {
      pieces.push(piece)
      length += piece.length
      if (length >= ANSWER_BYTES) giveUp()
    }
  } catch {
    isWhole = false
  } finally {
    clearTimeout(timer)
  }
  return { text: Buffer.concat(pieces).toString('utf8', 0, ANSWER_BYTES).trim(), isWhole }
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    return value !== null && typeof value === 'object' ? value : {}
  } catch {
    return {}
  }
}

/** What a service said, in one line. */
export function said(words: unknown): string {
  const text = typeof words === 'string' ? words : words === undefined ? '' : JSON.stringify(words)
  return text.replace(/\s+/g, ' ').trim()
}

type Refused = Pick<ServiceAnswer, 'status' | 'retryAfterSeconds'>

export function refusal(service: string, answer: Refused, words: unknown, permanent: boolean): DeliveryError {
  const { status, retryAfterSeconds } = answer
  return new DeliveryError(`${service} answered ${status}`, { said: said(words), permanent, retryAfterSeconds })
}

/** Statuses after which the same request may be taken another time. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}
