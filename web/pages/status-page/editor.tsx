/**
 * The form of a status page beside its preview. On narrow screens, the user switches between the two. The preview of a saved page loads
 * together with the form, and not after it.
 */
import { Eye, Pencil } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Page } from '../../components/page.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import type { StatusPage } from '../../lib/status-pages.ts'
import { useMediaQuery } from '../../lib/use-media-query.ts'
import { type EditedPage, EditorForm, toPreviewPath } from './editor-form.tsx'
import { StatusPageLinks } from './page-links.tsx'
import { PreviewPane } from './preview-pane.tsx'
import { StatusPageTabs } from './tabs.tsx'
import './editor.css'

/** The width below which form and preview don't fit beside each other. editor.css uses the same width. */
const NARROW_QUERY = '(max-width: 64rem)'

const views = [
  { value: 'edit', label: 'Edit', icon: Pencil },
  { value: 'preview', label: 'Preview', icon: Eye },
] as const

interface StatusPageEditorProps {
  /** Undefined for a new page. */
  id?: number
  /** Undefined for a new page, and until the page has loaded. */
  page?: StatusPage | undefined
  /** Shown instead of the form until the page has loaded. */
  loading?: ComponentChildren
}

export function StatusPageEditor({ id, page, loading }: StatusPageEditorProps) {
  const isNarrow = useMediaQuery(NARROW_QUERY)
  const [view, setView] = useState<'edit' | 'preview'>('edit')
  const [edited, setEdited] = useState<EditedPage>()
  const saved = edited?.saved ?? page
  const isNew = id === undefined
  const preview = edited?.preview ?? (isNew ? undefined : toPreviewPath(id))
  return (
    <Page
      title={saved?.title ?? (isNew ? 'Add status page' : 'Status page')}
      actions={saved && !isNew && <StatusPageLinks page={saved} />}
    >
      {!isNew && <StatusPageTabs pageId={id} />}
      {isNarrow && (
        <div class="editor-views">
          <SegmentedControl label="View" choices={views} value={view} onValue={setView} />
        </div>
      )}
      <div class="editor">
        <div class="editor-form" hidden={isNarrow && view === 'preview'}>
          {isNew || page !== undefined ? <EditorForm page={page} onEdited={setEdited} /> : loading}
        </div>
        {(!isNarrow || view === 'preview') && <PreviewPane content={preview} address={edited?.address ?? ''} />}
      </div>
    </Page>
  )
}
