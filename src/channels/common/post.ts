/** Sends a message to a messaging service with one HTTP request. */
import type { Dispatcher } from 'undici'
import { parseRetryAfter } from '../../lib/retry-after.ts'
import { DeliveryError } from '../../outbox/delivery-error.ts'
import { findNetworkFault, mayHaveArrived } from '../../outgoing/network-fault.ts'
import type { ChannelMessage } from './channel.ts'

/** Telegram's response repeats the whole message and may escape each character as six, such as \u00e4. */
const MAX_RESPONSE_BYTES = 65_536
/** The status code decides whether the message was accepted, so a slow body is not worth more time. */
const BODY_TIMEOUT_MS = 2_000

export interface PostOptions {
  /** The subject of error messages, such as "Slack". */
  service: string
  url: string
  /** The default is POST. */
  method?: 'POST' | 'PUT'
  headers: Record<string, string>
  body: string
  message: ChannelMessage
  dispatcher: Dispatcher
  signal: AbortSignal
}

export interface ServiceResponse {
  status: number
  text: string
  /** false if the text was truncated. */
  isComplete: boolean
  /** The text parsed as JSON. Empty if it is not a JSON object. */
  json: Record<string, unknown>
  /** The value of the Retry-After header. */
  retryAfterSeconds: number | undefined
}

export async function postMessage(options: PostOptions): Promise<ServiceResponse> {
  const { service, url, method = 'POST', headers, body, message, dispatcher, signal } = options
  const { request } = await import('undici')
  let response: Dispatcher.ResponseData
  try {
    response = await request(url, {
      method,
      headers: { 'user-agent': 'Belfry', 'x-belfry-message-id': message.id, ...headers },
      body,
      dispatcher,
      signal,
    })
  } catch (error) {
    throw toDeliveryError(service, error, signal)
  }
  const { text, isComplete } = await readBodyStart(response.body)
  return {
    status: response.statusCode,
    text,
    isComplete,
    json: parseObject(text),
    retryAfterSeconds: parseRetryAfter(response.headers),
  }
}

function toDeliveryError(service: string, error: unknown, signal: AbortSignal): DeliveryError {
  if (signal.aborted) return new DeliveryError(`${service} did not respond in time`, { uncertain: true })
  const fault = findNetworkFault(error)
  if (fault?.cause === 'blocked') return new DeliveryError(fault.description, { permanent: true })
  // Not every error is a known fault: undici throws various errors when a server does not speak HTTP.
  const reason = fault?.description ?? 'the connection failed'
  return new DeliveryError(`${service} could not be reached: ${reason}`, { uncertain: mayHaveArrived(fault) })
}

/** Never fails: the status code has already decided whether the message was accepted. */
async function readBodyStart(body: Dispatcher.ResponseData['body']): Promise<{ text: string; isComplete: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  let isComplete = true
  const stopReading = () => {
    isComplete = false
    body.destroy()
  }
  const timer = setTimeout(stopReading, BODY_TIMEOUT_MS)
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= MAX_RESPONSE_BYTES) stopReading()
    }
  } catch {
    isComplete = false
  } finally {
    clearTimeout(timer)
  }
  return { text: Buffer.concat(chunks).toString('utf8', 0, MAX_RESPONSE_BYTES).trim(), isComplete }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    return value !== null && typeof value === 'object' ? value : {}
  } catch {
    return {}
  }
}

interface JsonRequest extends Omit<PostOptions, 'headers'> {
  headers?: Record<string, string>
  /** Whether the operator configured the URL. If so, a redirect is retried, because the operator may fix it. */
  isOperatorUrl?: boolean
  /** Returns the part of the response body that explains an error. The whole body by default. */
  readReason?: (json: Record<string, unknown>) => unknown
  /** Returns how many seconds to wait, for services that say so in the body. */
  readRetryAfter?: (json: Record<string, unknown>) => number | undefined
}

/**
 * Sends a JSON body, and resolves with the response if the service has accepted the message. A redirect is an error: following it
 * would turn the POST into a GET and lose the message.
 */
export async function postJson(request: JsonRequest): Promise<ServiceResponse> {
  const { headers, isOperatorUrl = false, readReason, readRetryAfter, ...options } = request
  const response = await postMessage({ ...options, headers: { 'content-type': 'application/json', ...headers } })
  const { status, text, json } = response
  if (status >= 200 && status < 300) return response
  const retryAfterSeconds = readRetryAfter?.(json) ?? response.retryAfterSeconds
  const isPermanent = !isTemporaryStatus(status) && (status >= 400 || !isOperatorUrl)
  throw createRejection(options.service, { status, retryAfterSeconds }, readReason?.(json) ?? text, isPermanent)
}

/**
 * Rejects a web page as the response of a server whose address a user has typed: most websites respond to any request
 * with a page and status 200.
 */
export function rejectWebPage(service: string, { text }: ServiceResponse): void {
  if (!/^<(!doctype|html)/i.test(text)) return
  throw new DeliveryError(`The address does not belong to ${service}: it responded with a web page`, {
    permanent: true,
  })
}

/** The response text in one line, or else the status code. */
export const describeResponse = ({ status, text }: ServiceResponse) => toSingleLine(text) || String(status)

export function toSingleLine(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
  return text.replace(/\s+/g, ' ').trim()
}

/** `reason` is the part of the response body that explains the status code. */
export function createRejection(
  service: string,
  { status, retryAfterSeconds }: Pick<ServiceResponse, 'status' | 'retryAfterSeconds'>,
  reason: unknown,
  permanent: boolean,
): DeliveryError {
  return new DeliveryError(`${service} responded with ${status}`, {
    response: toSingleLine(reason),
    permanent,
    retryAfterSeconds,
  })
}

/** Whether the same request may succeed later. */
export function isTemporaryStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}
