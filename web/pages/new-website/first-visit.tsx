/** Waits until the first visit is counted, and says so. */
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useLive } from '../../lib/live.ts'
import { queryKeys, queryClient, useOverview } from '../../lib/queries.ts'

export function FirstVisit({ id, domain }: { id: number; domain: string }) {
  const [isCounted, setCounted] = useState(false)
  useLive({
    website: id,
    onTraffic: () => {
      setCounted(true)
      void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
    },
  })
  // One that came before anybody listened is known here.
  const hadTraffic = useOverview().data?.websites.find((website) => website.id === id)?.has_traffic ?? false
  const isThere = isCounted || hadTraffic
  return (
    <div class={`notice ${isThere ? 'notice-good' : ''}`}>
      <p role="status" class="row">
        {isThere ? (
          <>
            <span aria-hidden="true">✓</span> <strong>First visit counted</strong>
          </>
        ) : (
          <>
            <span class="spinner" aria-hidden="true" /> Waiting for the first visit…
          </>
        )}
      </p>
      {isThere ? (
        <Link href={`/${domain}`}>Look at {domain}</Link>
      ) : (
        <span class="muted small">Open your website in another tab. This page notices.</span>
      )}
    </div>
  )
}
