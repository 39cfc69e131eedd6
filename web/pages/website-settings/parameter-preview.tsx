/** What the lines in the field above would have merged in the last seven days, while they are being typed. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { useEffect, useState } from 'preact/hooks'
import type { ExclusionPreview } from '../../../src/traffic/exclusions/schema.ts'
import { Button } from '../../components/button.tsx'
import { Skeleton } from '../../components/states.tsx'
import { api, withQuery } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'

/** As long as a pause between two keys. */
const PAUSE_MS = 400

function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

interface ParameterPreviewProps {
  id: number
  lines: string
  onAdd: (name: string) => void
}

export function ParameterPreview({ id, lines, onAdd }: ParameterPreviewProps) {
  const asked = useSettled(lines)
  const preview = useQuery({
    queryKey: ['website', id, 'exclusions', asked],
    queryFn: ({ signal }) =>
      api.get<ExclusionPreview>(withQuery(`api/v1/websites/${id}/exclusions`, { exclude_params: asked }), signal),
    placeholderData: keepPreviousData,
  })
  return (
    <section class="website-settings-preview" aria-label="Preview of the last 7 days">
      <h3>Preview of the last 7 days</h3>
      {preview.isPending ? (
        <Skeleton height="4rem" />
      ) : preview.isError ? (
        // The field above will say it with its number when it is saved; here only that there is no preview.
        <p class="field-error">{preview.error.message}</p>
      ) : (
        <Merged preview={preview.data} lines={lines} onAdd={onAdd} />
      )}
    </section>
  )
}

function Merged({
  preview,
  lines,
  onAdd,
}: {
  preview: ExclusionPreview
  lines: string
  onAdd: (name: string) => void
}) {
  const { data, meta } = preview
  const named = new Set(lines.split('\n').map((line) => line.trim()))
  const offered = meta.seen.filter(({ name }) => !named.has(name)).slice(0, 8)
  return (
    <>
      <p aria-live="polite">
        {meta.pages_after === meta.pages_before
          ? `Nothing would have changed: ${pages(meta.pages_before)}.`
          : `${pages(meta.pages_before)} would have been ${formatNumber(meta.pages_after)}.`}
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
                {formatNumber(pages)} pages in one, {formatNumber(count)} views
              </span>
            </li>
          ))}
        </ul>
      )}
      {offered.length > 0 && (
        <div class="row">
          <span class="muted small">Seen lately:</span>
          {offered.map(({ name, views }) => (
            <Button key={name} small title={`${formatNumber(views)} views`} onClick={() => onAdd(name)}>
              <span class="clip website-settings-name">+ {name}</span>
            </Button>
          ))}
        </div>
      )}
    </>
  )
}

const pages = (count: number) => `${formatNumber(count)} ${count === 1 ? 'page' : 'pages'}`
