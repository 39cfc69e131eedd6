import { PanelTop } from 'lucide-preact'
import {
  MAX_PAGE_DESCRIPTION_LENGTH,
  MAX_PAGE_TITLE_LENGTH,
  MAX_SLUG_LENGTH,
} from '../../../src/shared/status-pages.ts'
import { Field, TextAreaField, TextField } from '../../components/field.tsx'
import { Section } from '../../components/section.tsx'
import { publicUrl } from '../../lib/boot.ts'
import { deriveSlug } from './slug.ts'
import type { EditorSectionProps } from './use-editor-form.ts'

export function DetailsSection({ form: { values, set, errorsFor }, saved }: EditorSectionProps) {
  function setTitle(title: string) {
    // Until the user edits the slug, it follows the title.
    if (saved === undefined && values.slug === deriveSlug(values.title)) set('slug', deriveSlug(title))
    set('title', title)
  }
  const isSlugChanged = saved !== undefined && values.slug !== saved.slug
  return (
    <Section title="Details" icon={PanelTop}>
      <div class="form">
        <TextField
          label="Title"
          placeholder="Example"
          maxLength={MAX_PAGE_TITLE_LENGTH}
          autocomplete="off"
          required
          value={values.title}
          errors={errorsFor('title')}
          onValue={setTitle}
        />
        <Field
          label="Address"
          hint={isSlugChanged ? 'Links to the current address will stop working.' : undefined}
          errors={errorsFor('slug')}
        >
          {(control) => (
            <div class="slug-input input">
              <span class="slug-prefix" aria-hidden="true">
                <bdi>{publicUrl.replace(/^https?:\/\//, '')}/status/</bdi>
              </span>
              <input
                {...control}
                type="text"
                maxLength={MAX_SLUG_LENGTH}
                required
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                value={values.slug}
                onInput={(event) => set('slug', event.currentTarget.value.toLowerCase())}
              />
            </div>
          )}
        </Field>
        <TextAreaField
          label="Description"
          hint="Optional. Shown below the title."
          maxLength={MAX_PAGE_DESCRIPTION_LENGTH}
          rows={2}
          value={values.description}
          errors={errorsFor('description')}
          onValue={(description) => set('description', description)}
        />
      </div>
    </Section>
  )
}
