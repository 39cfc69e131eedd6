/** Closed sets of the API in words for people. */
import type { Alert, Incident, WindowName } from './queries.ts'

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
