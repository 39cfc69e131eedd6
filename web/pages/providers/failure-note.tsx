import { Ago } from '../../components/time.tsx'
import type { Provider } from '../../lib/providers.ts'

export function FailureNote({ provider: { failure, failed_at: at } }: { provider: Provider }) {
  if (failure === null) return null
  return (
    <div class="notice notice-bad">
      <p class="providers-said">
        <strong>Its last alert failed{at !== null && [' ', <Ago key="at" at={at} />]}:</strong> {failure} Test it once
        it is mended.
      </p>
    </div>
  )
}
