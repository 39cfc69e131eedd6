import { RefreshCw } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { showProblem } from '../../components/toasts.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'

interface DomainCheckResult {
  ok: boolean
  message: string
}

interface DomainCheckProps {
  domain: string
  /** The server checks the saved domain. */
  isSaved: boolean
  pageId: number | undefined
}

export function DomainCheck({ domain, isSaved, pageId }: DomainCheckProps) {
  const [busy, setBusy] = useState(false)
  const [checked, setChecked] = useState<{ domain: string; result: DomainCheckResult }>()
  async function check() {
    setBusy(true)
    try {
      const { data } = await api.post<ItemResponse<DomainCheckResult>>(`api/status-pages/${pageId}/check-domain`)
      setChecked({ domain, result: data })
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  const result = checked?.domain === domain ? checked.result : undefined
  return (
    <div class="domain-check">
      {isSaved ? (
        <Button small icon={RefreshCw} busy={busy} onClick={() => void check()}>
          Check domain
        </Button>
      ) : (
        <p class="muted">Save the page first. Then check here that the domain leads to it.</p>
      )}
      <div aria-live="polite">
        {isSaved && result && <Notice tone={result.ok ? 'good' : 'warn'}>{result.message}</Notice>}
      </div>
    </div>
  )
}
