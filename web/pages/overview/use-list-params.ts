import { useMemo } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import { mergeTags } from '../../lib/tags.ts'
import { type RowFilter, rowFilters } from './rows.ts'

export interface ListParams {
  query: string
  filter: RowFilter
  tags: readonly string[]
  /** Changes parameters of the URL: `q` holds the query, `show` the filter, and each `tag` one of the tags. */
  set: (change: { q?: string; show?: string; tag?: readonly string[] }) => void
}

/** The search and filter of the list, stored in the URL so that the browser's Back button restores them. */
export function useListParams(): ListParams {
  const [params, setParams] = useSearchParams()
  const show = params.get('show')
  const tags = useMemo(() => mergeTags([], params.getAll('tag')), [params])
  return {
    query: params.get('q') ?? '',
    filter: rowFilters.find((filter) => filter === show) ?? 'all',
    tags,
    set: (change) =>
      setParams(
        (before) => {
          const after = new URLSearchParams(before)
          for (const [name, value] of Object.entries(change)) {
            after.delete(name)
            for (const item of [value].flat()) if (item !== '' && item !== 'all') after.append(name, item)
          }
          return after
        },
        // Otherwise the Back button would step through every typed letter.
        { replace: true },
      ),
  }
}
