/** The form of a status page. */
import { useLayoutEffect, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { publicUrl } from '../../lib/boot.ts'
import { goBack } from '../../lib/go-back.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { AppearanceSection } from './appearance-section.tsx'
import { BadgesSection } from './badges-section.tsx'
import { DeleteSection } from './delete-section.tsx'
import { DetailsSection } from './details-section.tsx'
import { DomainSection } from './domain-section.tsx'
import { MonitorsSection } from './monitors-section.tsx'
import { PrivacySection } from './privacy-section.tsx'
import { useEditorForm } from './use-editor-form.ts'
import { type StatusPageValues, toPreviewDraft } from './values.ts'

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

/** What the form says about the page that is being edited. */
export interface EditedPage {
  /** The page as it was last saved. Undefined for a new page. */
  saved: StatusPage | undefined
  /** See `PreviewFrame`. */
  preview: string
  /** Where visitors will find the page. */
  address: string
}

/** The path of the preview of a saved page. */
export const toPreviewPath = (id: number) => `api/status-pages/${id}/preview`

interface EditorFormProps {
  /** Undefined for a new page. */
  page: StatusPage | undefined
  onEdited: (edited: EditedPage) => void
}

export function EditorForm({ page, onEdited }: EditorFormProps) {
  const [, navigate] = useLocation()
  const { form, saved, isDirty, discard } = useEditorForm(page, ({ id }) =>
    navigate(`/status-pages/${id}`, { replace: true }),
  )
  const guard = useUnsavedGuard(isDirty)
  const { values } = form
  const isNew = page === undefined
  const [loaded] = useState(page)
  const preview = saved && !isDirty ? toSavedPreview(saved, loaded) : toPreviewDraft(saved?.id, values)
  const address = formatAddress(values)
  useLayoutEffect(() => onEdited({ saved, preview, address }), [onEdited, saved, preview, address])
  const sectionProps = { form, saved }
  return (
    <>
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
      {guard.dialog}
    </>
  )
}

/** The fragment differs after the page was saved, so that the preview is loaded again, for example with a new logo. */
function toSavedPreview(saved: StatusPage, loaded: StatusPage | undefined): string {
  const path = toPreviewPath(saved.id)
  return saved === loaded ? path : `${path}#${saved.updated_at} ${saved.has_logo}`
}

function formatAddress({ slug, custom_domain }: StatusPageValues): string {
  return custom_domain.trim() || `${publicUrl.replace(/^https?:\/\//, '')}/status/${slug}`
}
