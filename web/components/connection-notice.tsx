import { useConnectionState } from '../lib/connection.ts'

/** Said where it moves nothing. */
export function ConnectionNotice() {
  const connection = useConnectionState()
  return (
    <div class="connection" role="status">
      {connection === 'away' && <p>No connection to the server. What you see may be old.</p>}
    </div>
  )
}
