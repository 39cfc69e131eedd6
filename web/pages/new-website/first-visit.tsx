/** Shows whether the first visit has been counted, and updates live. */
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useLive } from '../../lib/live.ts'
import { queryClient, queryKeys, useOverview } from '../../lib/queries.ts'

export function FirstVisit({ id, domain }: { id: number; domain: string }) {
  const [isCounted, setCounted] = useState(false)
  useLive({
    websiteId: id,
    onTraffic: () => {
      setCounted(true)
      void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
    },
  })
  // Covers a visit that arrived before the live connection was open.
  const hadTraffic = useOverview().data?.websites.find((website) => website.id === id)?.has_traffic ?? false
  const hasVisit = isCounted || hadTraffic
  return (
    <div class={`notice ${hasVisit ? 'notice-good' : ''}`}>
      <p role="status" class="row">
        {hasVisit ? (
          <>
            <span aria-hidden="true">✓</span> <strong>First visit counted</strong>
          </>
        ) : (
          <>
            <span class="spinner" aria-hidden="true" /> Waiting for the first visit…
          </>
        )}
      </p>
      {hasVisit ? (
        <Link href={`/${domain}`}>View statistics for {domain}</Link>
      ) : (
        <span class="muted small">Open your website in another tab. This page updates automatically.</span>
      )}
    </div>
  )
}
