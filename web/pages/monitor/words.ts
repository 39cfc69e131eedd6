/** Closed sets of the API in words for people. */
import type { Alert, Incident, WindowName } from './queries.ts'

export type Cause = Incident['cause']

export const causeWords: Record<Cause, string> = {
  dns: 'The name was not found',
  connect: 'No connection',
  tls: 'No secure connection',
  timeout: 'No answer in time',
  http_status: 'The wrong answer',
  keyword: 'The wrong content',
  redirect: 'A redirect that leads nowhere',
  ping: 'No answer to pings',
  blocked: 'Not allowed to connect',
}

export const windowWords: Record<WindowName, string> = {
  '24h': '24 hours',
  '30d': '30 days',
  '6mo': '6 months',
  '1y': '1 year',
}

export const eventWords: Record<Alert['event'], string> = {
  down: 'Down',
  recovered: 'Up again',
  reminder: 'Reminder',
  certificate: 'Certificate',
}

export function endWords({ status, resolution }: Pick<Incident, 'status' | 'resolution'>): string {
  if (status === 'open') return 'Goes on'
  return resolution === 'paused' ? 'The monitor was paused' : 'It came back'
}

/** A detail is a sentence without its beginning and end. */
export function asSentence(detail: string): string {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1)
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
