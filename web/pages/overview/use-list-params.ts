import { useSearchParams } from 'wouter-preact'
import { type RowFilter, rowFilters } from './rows.ts'

export interface ListParams {
  query: string
  filter: RowFilter
  /** Changes parameters of the URL: `q` holds the query, `show` the filter. */
  set: (change: { q?: string; show?: string }) => void
}

/** The search and filter of the list, stored in the URL so that the browser's Back button restores them. */
export function useListParams(): ListParams {
  const [params, setParams] = useSearchParams()
  const show = params.get('show')
  return {
    query: params.get('q') ?? '',
    filter: rowFilters.find((filter) => filter === show) ?? 'all',
    set: (change) =>
      setParams(
        (before) => {
          const after = new URLSearchParams(before)
          for (const [name, value] of Object.entries(change)) {
            if (value === '' || value === 'all') after.delete(name)
            else after.set(name, value)
          }
          return after
        },
        // Otherwise the Back button would step through every typed letter.
        { replace: true },
      ),
  }
}
