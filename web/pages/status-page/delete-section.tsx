import { Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Section } from '../../components/section.tsx'
import { api } from '../../lib/api.ts'
import { goBackPast } from '../../lib/go-back.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { showToast } from '../../lib/toasts.ts'

export function DeleteSection({ page: { id, slug, title } }: { page: StatusPage }) {
  const [isConfirming, setConfirming] = useState(false)
  const [, navigate] = useLocation()
  return (
    <Section title="Delete status page" icon={Trash2} isDanger>
      <div class="section-action">
        <p class="muted">Deletes the page with its posts and subscribers. Its monitors are kept.</p>
        <Button kind="danger" icon={Trash2} onClick={() => setConfirming(true)}>
          Delete page
        </Button>
      </div>
      {isConfirming && (
        <ConfirmDialog
          title={`Delete ${title}?`}
          action="Delete status page"
          typeToConfirm={slug}
          onClose={() => setConfirming(false)}
          onConfirm={async () => {
            await api.delete(`api/status-pages/${id}`)
            showToast(`${title} deleted.`)
            await goBackPast(`/status-pages/${id}`, () => navigate('/status-pages', { replace: true }))
            queryClient.removeQueries({ queryKey: queryKeys.statusPage(id) })
            void queryClient.invalidateQueries({ queryKey: queryKeys.statusPageList })
          }}
        >
          <p>
            Links to the page and its badges stop working, and its posts and subscribers are deleted. This can't be
            undone.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
