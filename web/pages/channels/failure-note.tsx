import { Notice } from '../../components/notice.tsx'
import { RelativeTime } from '../../components/time.tsx'
import type { Channel } from '../../lib/channels.ts'

export function FailureNote({ channel: { failure, failed_at: at } }: { channel: Channel }) {
  if (failure === null) return null
  return (
    <Notice tone="bad">
      <p>
        <strong>Last notification failed{at !== null && [' ', <RelativeTime key="at" at={at} />]}:</strong> {failure}{' '}
        Send a test once the problem is fixed.
      </p>
    </Notice>
  )
}
