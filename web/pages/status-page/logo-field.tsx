/** The field for the logo. The user clicks to choose a file, or drops one. It is uploaded when the page is saved. */
import { ImageUp, Trash2 } from 'lucide-preact'
import { useId, useRef, useState } from 'preact/hooks'
import { MAX_LOGO_BYTES } from '../../../src/shared/status-pages.ts'
import { Button } from '../../components/button.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { Icon } from '../../components/icon.tsx'
import { showProblem } from '../../lib/toasts.ts'
import { findLogoError, formatKilobytes, LOGO_TYPES, readLogoFile } from './logo-file.ts'
import type { EditorSectionProps } from './use-editor-form.ts'

export function LogoField({ form: { values, set, errorsFor }, saved }: EditorSectionProps) {
  const [fileError, setFileError] = useState<string>()
  const [isDropTarget, setDropTarget] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const hintId = useId()
  const hasSavedLogo = values.logo === undefined && saved?.has_logo === true
  const source = values.logo?.dataUrl ?? (hasSavedLogo ? `status/${saved.slug}/logo?v=${saved.updated_at}` : undefined)

  async function choose(file: File | undefined) {
    if (file === undefined) return
    const error = findLogoError(file)
    setFileError(error)
    if (error === undefined) await readLogoFile(file).then((logo) => set('logo', logo), showProblem)
  }
  function remove() {
    setFileError(undefined)
    set('logo', saved?.has_logo ? null : undefined)
    input.current?.focus()
  }

  return (
    <FieldGroup legend="Logo" errors={fileError === undefined ? errorsFor('logo') : [fileError]}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the file input inside does the same by keyboard */}
      <div
        class={`logo-field${isDropTarget ? ' logo-field-target' : ''}`}
        onDragOver={(event) => {
          event.preventDefault()
          setDropTarget(true)
        }}
        onDragLeave={() => setDropTarget(false)}
        onDrop={(event) => {
          event.preventDefault()
          setDropTarget(false)
          void choose(event.dataTransfer?.files[0])
        }}
      >
        <span class="logo-field-picture">
          {source === undefined ? <Icon icon={ImageUp} size={20} /> : <img src={source} alt="The current logo" />}
        </span>
        <span class="logo-field-text">
          <label class="logo-field-button button button-small">
            {source === undefined ? 'Choose a file' : 'Replace'}
            <input
              ref={input}
              type="file"
              accept={LOGO_TYPES.join(',')}
              aria-describedby={hintId}
              aria-label={source === undefined ? 'Choose a logo' : 'Replace the logo'}
              onChange={({ currentTarget }) => {
                void choose(currentTarget.files?.[0])
                // Without this, the browser fires no change event if the user chooses the same file again.
                currentTarget.value = ''
              }}
            />
          </label>
          <span class="field-hint" id={hintId}>
            {values.logo?.name ?? `or drop it here. PNG or SVG, at most ${formatKilobytes(MAX_LOGO_BYTES)}.`}
          </span>
        </span>
        {source !== undefined && (
          <Button kind="quiet" small icon={Trash2} aria-label="Remove the logo" onClick={remove} />
        )}
      </div>
      {values.logo !== undefined && <div class="field-hint">The preview shows the change after you save.</div>}
    </FieldGroup>
  )
}
