/** The tracking snippet of a website, how to install it, and a button that verifies it. */
import { useEffect, useRef } from 'preact/hooks'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { CodeLine } from '../../components/copy-button.tsx'
import { SnippetNotice } from '../../components/snippet-notice.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { buildTrackingSnippet } from '../../lib/boot.ts'
import { InstallationGuides } from './installation-guides.tsx'
import { InstallationHelp } from './installation-help.tsx'
import { VerifyInstallation } from './verify-installation.tsx'

interface SnippetInstallationProps {
  website: Pick<WebsiteRecord, 'id' | 'domain'>
  hasVisit: boolean
  onVerified: () => void
  takesFocus: boolean
}

export function SnippetInstallation({ website, hasVisit, onVerified, takesFocus }: SnippetInstallationProps) {
  const { domain } = website
  const instruction = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (takesFocus) instruction.current?.focus()
  }, [])
  return (
    <>
      <p ref={instruction} tabIndex={-1} class="new-website-instruction">
        Add this snippet to the <code>&lt;head&gt;</code> of every page on {toDisplayHost(domain)}:
      </p>
      <CodeLine text={buildTrackingSnippet(domain)} label="Copy" />
      <SnippetNotice />
      {!hasVisit && (
        <>
          <InstallationGuides domain={domain} />
          <VerifyInstallation websiteId={website.id} onVerified={onVerified} />
          <InstallationHelp domain={domain} />
        </>
      )}
    </>
  )
}
