/** The Markdown text of a post or an update, with a preview. */
import { Eye, PenLine } from 'lucide-preact'
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { MAX_POST_BODY_LENGTH } from '../../../src/shared/status-pages.ts'
import { Field } from '../../components/field.tsx'
import { MarkdownText } from '../../components/markdown-text.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'

const views = [
  { value: 'write', label: 'Write', icon: PenLine },
  { value: 'preview', label: 'Preview', icon: Eye },
] as const

interface BodyFieldProps {
  value: string
  errors: readonly string[] | undefined
  onValue: (value: string) => void
  inputRef?: RefObject<HTMLTextAreaElement>
  placeholder?: string
}

export function BodyField({ value, errors, onValue, inputRef, placeholder }: BodyFieldProps) {
  const [view, setView] = useState<'write' | 'preview'>('write')
  const hasErrors = errors !== undefined
  // When there are errors, switch from the preview to the view in which the user can correct the text.
  useEffect(() => {
    if (hasErrors) setView('write')
  }, [hasErrors])
  return (
    <div class="post-body">
      <SegmentedControl label="View of the text" choices={views} value={view} onValue={setView} />
      <Field
        label="Text"
        hint="You can use Markdown: **bold**, lists and [links](https://example.com). HTML is shown as text, and images as their alternative text."
        errors={errors}
      >
        {(control) => (
          <>
            <textarea
              {...control}
              ref={inputRef ?? null}
              class="input post-body-input"
              hidden={view === 'preview'}
              placeholder={placeholder}
              maxLength={MAX_POST_BODY_LENGTH}
              required
              value={value}
              onInput={(event) => onValue(event.currentTarget.value)}
            />
            {view === 'preview' && (
              <div class="post-preview">
                {value.trim() === '' ? <p class="muted">Nothing to preview yet</p> : <MarkdownText text={value} />}
              </div>
            )}
          </>
        )}
      </Field>
    </div>
  )
}
