import { CircleAlert, CircleCheck, RefreshCw } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { DomainCheck as DomainCheckResult } from '../../../src/status-pages/domains/schema.ts'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Notice } from '../../components/notice.tsx'
import { showProblem } from '../../components/toasts.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'

interface DomainCheckProps {
  domain: string
  /** The server checks the saved domain. */
  isSaved: boolean
  pageId: number | undefined
}

export function DomainCheck({ domain, isSaved, pageId }: DomainCheckProps) {
  const [busy, setBusy] = useState(false)
  const [lastResult, setLastResult] = useState<DomainCheckResult>()
  async function check() {
    setBusy(true)
    try {
      setLastResult((await api.post<ItemResponse<DomainCheckResult>>(`api/status-pages/${pageId}/check-domain`)).data)
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div class="domain-check">
      {isSaved ? (
        <Button small icon={RefreshCw} busy={busy} onClick={() => void check()}>
          Check domain
        </Button>
      ) : (
        <p class="muted">Save the page first. Then you can check that the domain leads to this server.</p>
      )}
      <div aria-live="polite">{lastResult?.domain === domain && <CheckResult result={lastResult} />}</div>
    </div>
  )
}

function CheckResult({ result }: { result: DomainCheckResult }) {
  const { addresses, https, http, points_here, hint } = result
  return (
    <Notice tone={https.ok ? 'good' : points_here ? 'warn' : 'bad'}>
      <p>{hint}</p>
      <ul class="domain-results small">
        <CheckItem label="DNS" isOk={addresses.length > 0} text={addresses.join(', ') || 'No public address'} />
        <CheckItem label="HTTPS" isOk={https.ok} text={https.problem ?? 'Leads to this server'} />
        <CheckItem label="HTTP" isOk={http.ok} text={http.problem ?? 'Leads to this server, or redirects to HTTPS'} />
      </ul>
    </Notice>
  )
}

function CheckItem({ label, isOk, text }: { label: string; isOk: boolean; text: string }) {
  return (
    <li>
      <Icon icon={isOk ? CircleCheck : CircleAlert} size={14} />
      <span>
        <strong>{label}</strong> {text}
      </span>
    </li>
  )
}
