import { WifiOff } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { markConnected, useConnectionState } from '../lib/connection.ts'
import { Icon } from './icon.tsx'

const RETRY_INTERVAL_MS = 3_000

/** Pages without live updates wouldn't notice that the server is back, so poll it until it responds. */
function usePollingWhileDisconnected(isDisconnected: boolean): void {
  useEffect(() => {
    if (!isDisconnected) return
    const ask = () => {
      if (document.visibilityState === 'visible')
        fetch(new URL('healthz', document.baseURI)).then(markConnected, () => {})
    }
    const timer = setInterval(ask, RETRY_INTERVAL_MS)
    document.addEventListener('visibilitychange', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
    }
  }, [isDisconnected])
}

export function ConnectionNotice() {
  const connection = useConnectionState()
  usePollingWhileDisconnected(connection === 'disconnected')
  return (
    <div class="connection" role="status">
      {connection === 'disconnected' && (
        <p>
          <Icon icon={WifiOff} /> Connection lost. Data may be out of date; retrying…
        </p>
      )}
    </div>
  )
}
