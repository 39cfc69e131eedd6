/** Shows which pages of the last 7 days would have counted as the same page if the typed parameters had been ignored. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { useRef } from 'preact/hooks'
import type { ExclusionPreview } from '../../../src/traffic/exclusions/schema.ts'
import { Button } from '../../components/button.tsx'
import { Skeleton } from '../../components/states.tsx'
import { api, withQuery } from '../../lib/api.ts'
import { formatNumber, pluralize } from '../../lib/format.ts'
import { queryKeys } from '../../lib/queries.ts'
import { useDebounced } from '../../lib/use-debounced.ts'

const MAX_SUGGESTIONS = 8

interface ParameterPreviewProps {
  id: number
  typedText: string
  onAdd: (name: string) => void
}

export function ParameterPreview({ id, typedText, onAdd }: ParameterPreviewProps) {
  const debouncedText = useDebounced(typedText)
  const section = useRef<HTMLElement>(null)
  function add(name: string) {
    onAdd(name)
    // The clicked button disappears with its suggestion, so keep the focus nearby.
    section.current?.focus({ preventScroll: true })
  }
  const preview = useQuery({
    queryKey: queryKeys.exclusions(id, debouncedText),
    queryFn: ({ signal }) =>
      api.get<ExclusionPreview>(
        withQuery(`api/v1/websites/${id}/exclusions`, { exclude_params: debouncedText }),
        signal,
      ),
    placeholderData: keepPreviousData,
  })
  return (
    <section ref={section} class="website-settings-preview" aria-label="Preview for the last 7 days" tabIndex={-1}>
      <h3>Preview for the last 7 days</h3>
      {preview.isPending ? (
        <Skeleton height="4rem" />
      ) : preview.isError ? (
        // The text field shows errors only after the user tries to save. The preview shows them while the user types.
        <p class="field-error">{preview.error.message}</p>
      ) : (
        <PreviewResult preview={preview.data} typedText={typedText} onAdd={add} />
      )}
    </section>
  )
}

interface PreviewResultProps extends Pick<ParameterPreviewProps, 'typedText' | 'onAdd'> {
  preview: ExclusionPreview
}

function PreviewResult({ preview: { data, meta }, typedText, onAdd }: PreviewResultProps) {
  const listedNames = new Set(typedText.split('\n').map((line) => line.trim()))
  const suggestions = meta.seen.filter(({ name }) => !listedNames.has(name)).slice(0, MAX_SUGGESTIONS)
  return (
    <>
      <p aria-live="polite">
        {meta.pages_after === meta.pages_before
          ? 'No pages would be merged.'
          : `${pluralize(meta.pages_before, 'page')} would be counted as ${formatNumber(meta.pages_after)}.`}
        {!meta.complete && ' Based on the most viewed pages only.'}
      </p>
      {data.length > 0 && (
        <ul class="website-settings-merged">
          {data.map(({ value, count, pages, merged }) => (
            <li key={value}>
              <code class="clip" title={value}>
                {value}
              </code>
              <span class="muted small" title={merged.join('\n')}>
                {pluralize(pages, 'page')} merged, {pluralize(count, 'page view')}
              </span>
            </li>
          ))}
        </ul>
      )}
      {suggestions.length > 0 && (
        <div class="row">
          <span class="muted small">Recent parameters:</span>
          {suggestions.map(({ name, views }) => (
            <Button key={name} small title={pluralize(views, 'page view')} onClick={() => onAdd(name)}>
              <span class="clip website-settings-name">+ {name}</span>
            </Button>
          ))}
        </div>
      )}
    </>
  )
}
