/** A button that fetches the website's home page, and says whether the tracking snippet is installed. */
import { ScanSearch } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { VerificationRecord, VerificationResult } from '../../../src/websites/verify/schema.ts'
import { Button } from '../../components/button.tsx'
import { CodeLine } from '../../components/copy-button.tsx'
import { Notice, type NoticeTone } from '../../components/notice.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { saveVerified } from '../../lib/setup-memory.ts'
import { showProblem } from '../../lib/toasts.ts'
import './guides.css'

const texts: Record<VerificationResult, { tone: NoticeTone; title: string }> = {
  installed: { tone: 'good', title: 'Snippet found' },
  several: { tone: 'warn', title: 'Several snippets found' },
  tag_manager: { tone: 'warn', title: 'Tag manager found' },
  script: { tone: 'good', title: 'Snippet found in a script' },
  missing: { tone: 'bad', title: 'Snippet not found' },
  inactive: { tone: 'warn', title: 'Snippet inactive' },
  wrong_domain: { tone: 'bad', title: 'Snippet names another domain' },
  wrong_server: { tone: 'bad', title: 'Snippet sends visits to another server' },
  local_address: { tone: 'bad', title: "Snippet found, but visitors can't load it" },
  mixed_content: { tone: 'bad', title: 'Blocked: http on an https page' },
  blocked: { tone: 'bad', title: 'Blocked by the Content-Security-Policy' },
  redirected: { tone: 'bad', title: 'Redirects to another website' },
  not_html: { tone: 'bad', title: 'Not an HTML page' },
  http_error: { tone: 'bad', title: 'Page responds with an error' },
  unreachable: { tone: 'bad', title: 'Page unreachable' },
}

interface VerifyInstallationProps {
  websiteId: number
  /** Called after the result was remembered for the setup steps. */
  onVerified?: (() => void) | undefined
}

export function VerifyInstallation({ websiteId, onVerified }: VerifyInstallationProps) {
  const [isBusy, setBusy] = useState(false)
  const [verification, setVerification] = useState<VerificationRecord>()
  async function verify() {
    setBusy(true)
    try {
      const { data } = await api.post<ItemResponse<VerificationRecord>>(`api/v1/websites/${websiteId}/verify`)
      setVerification(data)
      rememberResult(websiteId, data)
      onVerified?.()
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div class="verify">
      <div class="row">
        <Button icon={ScanSearch} busy={isBusy} onClick={() => void verify()}>
          Verify installation
        </Button>
        <span class="muted small">
          {isBusy ? 'Reading the home page…' : 'Reads your home page and looks for the snippet.'}
        </span>
      </div>
      <div aria-live="polite">{verification && <VerificationNotice verification={verification} />}</div>
    </div>
  )
}

/** A page that can't be read proves nothing, so the result of an earlier verification stays. */
function rememberResult(websiteId: number, { result, status }: VerificationRecord): void {
  if (result === 'installed' || result === 'several') saveVerified(websiteId, true)
  else if (status !== null && status < 400) saveVerified(websiteId, false)
}

/** The policy must allow the public URL. Until it is set, its lines would allow an address that visitors can't reach. */
function VerificationNotice({ verification }: { verification: VerificationRecord }) {
  const { result, message, blocked, status } = verification
  const { tone, title } = texts[result]
  return (
    <Notice tone={tone}>
      <p>
        <strong>{result === 'http_error' ? `Page responds with status ${status}` : title}</strong>
      </p>
      <p>{message}</p>
      {blocked.length > 0 && result !== 'local_address' && (
        <div class="verify-directives">
          {result !== 'blocked' && <p>The Content-Security-Policy of the page would block the snippet, too.</p>}
          {blocked.map(({ directive, source, current, required }) => (
            <div key={`${source} ${directive} ${current}`}>
              <p class="small">
                {describePlace(source)},{' '}
                {current.startsWith(`${directive} `) || current.startsWith(`${directive}-`) ? 'replace' : 'add beside'}{' '}
                <code>{current}</code>:
              </p>
              <CodeLine text={required} />
            </div>
          ))}
        </div>
      )}
    </Notice>
  )
}

const describePlace = (source: 'header' | 'meta') =>
  source === 'header' ? 'In the Content-Security-Policy header' : 'In the <meta> element with the policy'
