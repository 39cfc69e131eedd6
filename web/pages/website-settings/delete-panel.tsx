import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Panel } from '../../components/page.tsx'
import { showToast } from '../../components/toasts.tsx'
import { api } from '../../lib/api.ts'
import { goBackPast } from '../../lib/go-back.ts'
import { updateCachedOverview, queryKeys, queryClient } from '../../lib/queries.ts'

export function DeletePanel({ website: { id, domain } }: { website: WebsiteRecord }) {
  const [isAsking, setAsking] = useState(false)
  const [, navigate] = useLocation()
  return (
    <Panel title="Delete the website">
      <div class="row">
        <p class="muted">With everything that was ever counted on it. This cannot be undone.</p>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete {domain}
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${domain}`}
          action="Delete the website"
          typeToConfirm={domain}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await api.delete(`api/v1/websites/${id}`)
            showToast(`${domain} is deleted.`)
            await goBackPast(`/${domain}`, () => navigate('/', { replace: true }))
            updateCachedOverview((overview) => ({
              ...overview,
              websites: overview.websites.filter((website) => website.id !== id),
            }))
            queryClient.removeQueries({ queryKey: queryKeys.website(id) })
            void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
          }}
        >
          <p>Its statistics, reports and settings are lost. Monitors that watch it stay.</p>
        </ConfirmDialog>
      )}
    </Panel>
  )
}
