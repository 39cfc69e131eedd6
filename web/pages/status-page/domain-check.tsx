/** The button that verifies and checks the saved domain, and its result. */
import { CircleAlert, CircleCheck, RefreshCw } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { DomainCheck as DomainCheckResult } from '../../../src/status-pages/domains/schema.ts'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Notice } from '../../components/notice.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { showProblem } from '../../lib/toasts.ts'

/** When the domain of the saved page was verified; null if it is not verified, and undefined if the page isn't saved. */
export function useVerifiedAt(savedPage: StatusPage | undefined) {
  const [lastCheck, setLastCheck] = useState<DomainCheckResult>()
  const isChecked = lastCheck !== undefined && lastCheck.domain === savedPage?.custom_domain
  return {
    verifiedAt: isChecked ? lastCheck.custom_domain_verified_at : savedPage?.custom_domain_verified_at,
    noteCheck: setLastCheck,
  }
}

interface DomainCheckProps {
  domain: string
  /** Undefined until the page is saved with this domain, because the server checks only the saved domain. */
  pageId: number | undefined
  onChecked(result: DomainCheckResult): void
}

export function DomainCheck({ domain, pageId, onChecked }: DomainCheckProps) {
  const [busy, setBusy] = useState(false)
  const [lastResult, setLastResult] = useState<DomainCheckResult>()
  async function check() {
    setBusy(true)
    try {
      const { data } = await api.post<ItemResponse<DomainCheckResult>>(`api/status-pages/${pageId}/check-domain`)
      setLastResult(data)
      onChecked(data)
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div class="domain-check">
      {pageId !== undefined ? (
        <Button small icon={RefreshCw} busy={busy} onClick={() => void check()}>
          Check domain
        </Button>
      ) : (
        <p class="muted">Save the page first. Then you can check that the domain points to this server.</p>
      )}
      <div aria-live="polite">{lastResult?.domain === domain && <CheckResult result={lastResult} />}</div>
    </div>
  )
}

function CheckResult({ result }: { result: DomainCheckResult }) {
  const { addresses, record, custom_domain_verified_at: verifiedAt, https, http, points_here, hint } = result
  return (
    <Notice tone={verifiedAt === null ? 'bad' : https.ok ? 'good' : points_here ? 'warn' : 'bad'}>
      <p>{hint}</p>
      <ul class="domain-results small">
        <CheckItem label="Proof" isOk={record.ok} text={record.problem ?? `${record.name} has the record`} />
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
