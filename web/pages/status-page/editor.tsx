/** The form of a status page beside its preview. On narrow screens, the user switches between the two. */
import { ExternalLink, Eye, Pencil } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { publicUrl, toPublicUrl } from '../../lib/boot.ts'
import { goBack } from '../../lib/go-back.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { useMediaQuery } from '../../lib/use-media-query.ts'
import { AppearanceSection } from './appearance-section.tsx'
import { BadgesSection } from './badges-section.tsx'
import { DeleteSection } from './delete-section.tsx'
import { DetailsSection } from './details-section.tsx'
import { DomainSection } from './domain-section.tsx'
import { MonitorsSection } from './monitors-section.tsx'
import { PreviewPane } from './preview-pane.tsx'
import { PrivacySection } from './privacy-section.tsx'
import { StatusPageTabs } from './tabs.tsx'
import { useEditorForm } from './use-editor-form.ts'
import { type StatusPageValues, toPreviewDraft } from './values.ts'
import './editor.css'

/** The width below which form and preview don't fit beside each other. editor.css uses the same width. */
const NARROW_QUERY = '(max-width: 64rem)'

/** API names of the fields that show their own errors. */
const ownErrorFields: (keyof StatusPageValues)[] = [
  'title',
  'slug',
  'description',
  'groups',
  'theme',
  'accent_color',
  'time_zone',
  'privacy',
  'password',
  'custom_domain',
  'logo',
]

const views = [
  { value: 'edit', label: 'Edit', icon: Pencil },
  { value: 'preview', label: 'Preview', icon: Eye },
] as const

export function StatusPageEditor({ page }: { page?: StatusPage }) {
  const [, navigate] = useLocation()
  const isNarrow = useMediaQuery(NARROW_QUERY)
  const [view, setView] = useState<'edit' | 'preview'>('edit')
  const { form, saved, isDirty, discard } = useEditorForm(page, ({ id }) =>
    navigate(`/status-pages/${id}`, { replace: true }),
  )
  const guard = useUnsavedGuard(isDirty)
  const { values } = form
  const isNew = page === undefined
  const sectionProps = { form, saved }
  return (
    <Page title={saved?.title ?? 'Add status page'} actions={saved && !isNew && <PageLinks page={saved} />}>
      {!isNew && <StatusPageTabs pageId={page.id} />}
      {isNarrow && (
        <div class="editor-views">
          <SegmentedControl label="View" choices={views} value={view} onValue={setView} />
        </div>
      )}
      <div class="editor">
        <div class="editor-form" hidden={isNarrow && view === 'preview'}>
          <form class="sections" onSubmit={form.submit} noValidate>
            <DetailsSection {...sectionProps} />
            <MonitorsSection {...sectionProps} />
            <AppearanceSection {...sectionProps} />
            <PrivacySection {...sectionProps} />
            <DomainSection {...sectionProps} />
            <div class={isNew || isDirty ? 'form-bar' : 'form-saved'}>
              <ProblemNotice problem={form.problem} fieldsWithOwnErrors={ownErrorFields} />
              <div class="form-actions">
                <Button kind="primary" type="submit" busy={form.busy} disabled={!isNew && !isDirty}>
                  {isNew ? 'Create status page' : 'Save changes'}
                </Button>
                {isNew ? (
                  <Button kind="quiet" onClick={() => guard.leave(() => goBack(() => navigate('/status-pages')))}>
                    Cancel
                  </Button>
                ) : (
                  <Button kind="quiet" disabled={!isDirty} onClick={discard}>
                    Discard changes
                  </Button>
                )}
                {!isNew && !isDirty && <span class="muted small">No unsaved changes</span>}
              </div>
            </div>
          </form>
          {saved && !isNew && (
            <div class="sections editor-more">
              <BadgesSection page={saved} />
              <DeleteSection page={saved} />
            </div>
          )}
        </div>
        {(!isNarrow || view === 'preview') && (
          <PreviewPane draft={toPreviewDraft(saved?.id, values)} address={formatAddress(values)} />
        )}
      </div>
      {guard.dialog}
    </Page>
  )
}

function formatAddress({ slug, custom_domain }: StatusPageValues): string {
  return custom_domain.trim() || `${publicUrl.replace(/^https?:\/\//, '')}/status/${slug}`
}

function PageLinks({ page }: { page: StatusPage }) {
  const url = toPublicUrl(page.url)
  return (
    <>
      <CopyButton text={url} label="Copy link" />
      <a class="button button-plain button-small" href={url} target="_blank" rel="noreferrer">
        <Icon icon={ExternalLink} />
        View page
      </a>
    </>
  )
}
