/** What the lines in the field above would have merged in the last seven days, while they are being typed. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { useRef } from 'preact/hooks'
import type { ExclusionPreview } from '../../../src/traffic/exclusions/schema.ts'
import { Button } from '../../components/button.tsx'
import { Skeleton } from '../../components/states.tsx'
import { api, withQuery } from '../../lib/api.ts'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { queryKeys } from '../../lib/queries.ts'
import { useSettled } from '../../lib/use-debounced.ts'

interface ParameterPreviewProps {
  id: number
  lines: string
  onAdd: (name: string) => void
}

export function ParameterPreview({ id, lines, onAdd }: ParameterPreviewProps) {
  const asked = useSettled(lines)
  const place = useRef<HTMLElement>(null)
  function add(name: string) {
    onAdd(name)
    // What was added is no longer offered, and its button gone.
    place.current?.focus({ preventScroll: true })
  }
  const preview = useQuery({
    queryKey: queryKeys.exclusions(id, asked),
    queryFn: ({ signal }) =>
      api.get<ExclusionPreview>(withQuery(`api/v1/websites/${id}/exclusions`, { exclude_params: asked }), signal),
    placeholderData: keepPreviousData,
  })
  return (
    <section ref={place} class="website-settings-preview" aria-label="Preview of the last 7 days" tabIndex={-1}>
      <h3>Preview of the last 7 days</h3>
      {preview.isPending ? (
        <Skeleton height="4rem" />
      ) : preview.isError ? (
        // The field above will say it with its number when it is saved; here only that there is no preview.
        <p class="field-error">{preview.error.message}</p>
      ) : (
        <Merged preview={preview.data} lines={lines} onAdd={add} />
      )}
    </section>
  )
}

interface MergedProps extends Pick<ParameterPreviewProps, 'lines' | 'onAdd'> {
  preview: ExclusionPreview
}

function Merged({ preview: { data, meta }, lines, onAdd }: MergedProps) {
  const named = new Set(lines.split('\n').map((line) => line.trim()))
  const offered = meta.seen.filter(({ name }) => !named.has(name)).slice(0, 8)
  return (
    <>
      <p aria-live="polite">
        {meta.pages_after === meta.pages_before
          ? `Nothing would have changed: ${formatCount(meta.pages_before, 'page')}.`
          : `${formatCount(meta.pages_before, 'page')} would have been ${formatNumber(meta.pages_after)}.`}
        {!meta.complete && ' Only the most viewed ones were looked at.'}
      </p>
      {data.length > 0 && (
        <ul class="website-settings-merged">
          {data.map(({ value, count, pages, merged }) => (
            <li key={value}>
              <code class="clip" title={value}>
                {value}
              </code>
              <span class="muted small" title={merged.join('\n')}>
                {formatCount(pages, 'page')} in one, {formatCount(count, 'view')}
              </span>
            </li>
          ))}
        </ul>
      )}
      {offered.length > 0 && (
        <div class="row">
          <span class="muted small">Seen lately:</span>
          {offered.map(({ name, views }) => (
            <Button key={name} small title={formatCount(views, 'view')} onClick={() => onAdd(name)}>
              <span class="clip website-settings-name">+ {name}</span>
            </Button>
          ))}
        </div>
      )}
    </>
  )
}
