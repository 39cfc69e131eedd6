import { useConnectionState } from '../lib/connection.ts'

export function ConnectionNotice() {
  const connection = useConnectionState()
  return (
    <div class="connection" role="status">
      {connection === 'disconnected' && <p>Connection lost. Data may be out of date; retrying…</p>}
    </div>
  )
}
