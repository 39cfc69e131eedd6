import { ExternalLink } from 'lucide-preact'
import { CopyButton } from '../../components/copy-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { toPublicUrl } from '../../lib/boot.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { StatusPageState } from '../status-pages/page-state.tsx'

/** The state of the public page, and links to it. All pages about a status page have them beside the heading. */
export function StatusPageLinks({ page }: { page: StatusPage }) {
  const url = toPublicUrl(page.url)
  return (
    <>
      <span class="status-page-state">
        <StatusPageState page={page} />
      </span>
      <CopyButton text={url} label="Copy link" />
      <a class="button button-plain button-small" href={url} target="_blank" rel="noreferrer">
        <Icon icon={ExternalLink} />
        View page
        <span class="hidden-text"> (opens in a new tab)</span>
      </a>
    </>
  )
}
