import { Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Section } from '../../components/section.tsx'
import { api } from '../../lib/api.ts'
import { goBackPast } from '../../lib/go-back.ts'
import { queryClient, queryKeys, updateCachedOverview } from '../../lib/queries.ts'
import { showToast } from '../../lib/toasts.ts'

export function DeleteWebsitePanel({ website: { id, domain } }: { website: WebsiteRecord }) {
  const [isConfirming, setConfirming] = useState(false)
  const [, navigate] = useLocation()
  return (
    <Section title="Delete website" icon={Trash2} isDanger>
      <div class="section-action">
        <p class="muted">Deletes the website and all of its statistics. This can't be undone.</p>
        <Button kind="danger" icon={Trash2} onClick={() => setConfirming(true)}>
          Delete {domain}
        </Button>
      </div>
      {isConfirming && (
        <ConfirmDialog
          title={`Delete ${domain}?`}
          action="Delete website"
          typeToConfirm={domain}
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            await api.delete(`api/v1/websites/${id}`)
            showToast(`${domain} deleted.`)
            await goBackPast(`/${domain}`, () => navigate('/', { replace: true }))
            updateCachedOverview((overview) => ({
              ...overview,
              websites: overview.websites.filter((website) => website.id !== id),
            }))
            queryClient.removeQueries({ queryKey: queryKeys.website(id) })
            void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
          }}
        >
          <p>This deletes its statistics, reports and settings. Its monitors are kept.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
