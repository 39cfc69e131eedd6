/** The tracking snippet of a website, and how to install it. */
import type { Ref } from 'preact'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { CodeLine } from '../../components/copy-button.tsx'
import { SnippetNotice } from '../../components/snippet-notice.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { buildTrackingSnippet } from '../../lib/boot.ts'
import { InstallationHelp } from './installation-help.tsx'

interface SnippetInstallationProps {
  website: Pick<WebsiteRecord, 'id' | 'domain'>
  hasVisit: boolean
  instructionRef?: Ref<HTMLParagraphElement> | undefined
}

export function SnippetInstallation({ website, hasVisit, instructionRef }: SnippetInstallationProps) {
  const { domain } = website
  return (
    <>
      <p ref={instructionRef ?? null} tabIndex={-1} class="new-website-instruction">
        Add this snippet to the <code>&lt;head&gt;</code> of every page on {toDisplayHost(domain)}:
      </p>
      <CodeLine text={buildTrackingSnippet(domain)} label="Copy" />
      <SnippetNotice />
      {!hasVisit && <InstallationHelp domain={domain} />}
    </>
  )
}
