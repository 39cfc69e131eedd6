import { formatCount } from '../../lib/format.ts'
import type { Alert } from './queries.ts'

const messages = (count: number) => formatCount(count, 'message')

/** One line of what was said about an incident. */
export function summaryOf(sent: readonly Alert[], isWhole: boolean): string {
  if (!isWhole) return 'What was sent'
  if (sent.length === 0) return 'Nobody was told'
  const count = (state: Alert['state']) => sent.filter((alert) => alert.state === state).length
  const [failed, waiting] = [count('failed'), count('waiting')]
  const parts = [
    count('sent') > 0 && `${messages(count('sent'))} sent`,
    waiting > 0 && `${count('sent') > 0 ? waiting : messages(waiting)} waiting`,
    failed > 0 && `${count('sent') + waiting > 0 ? failed : messages(failed)} failed`,
  ].filter((part) => part !== false)
  return parts.join(', ')
}
