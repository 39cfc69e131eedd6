import { useMemo } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import { readView, type View, writeView } from './list-view.ts'

/** Typing makes no history: the way back leads to where one came from. */
export function useView(): [View, (change: Partial<View>) => void] {
  const [params, setParams] = useSearchParams()
  const view = useMemo(() => readView(params), [params])
  return [view, (change) => setParams((before) => writeView({ ...readView(before), ...change }), { replace: true })]
}
