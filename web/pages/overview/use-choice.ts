import { useSearchParams } from 'wouter-preact'
import { type Filter, filters } from './rows.ts'

export interface Choice {
  query: string
  filter: Filter
  set: (change: { q?: string; show?: string }) => void
}

/** What is searched for and shown: in the address, so that it is still there after going somewhere and back. */
export function useChoice(): Choice {
  const [params, setParams] = useSearchParams()
  const show = params.get('show')
  return {
    query: params.get('q') ?? '',
    filter: filters.find((filter) => filter === show) ?? 'all',
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
        // A letter is no step to go back to.
        { replace: true },
      ),
  }
}
