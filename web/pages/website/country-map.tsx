/** The map, loaded when somebody wants to see it. */
import type { ComponentType } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ErrorState } from '../../components/states.tsx'
import { type Part, useAllRows } from './queries.ts'

type WorldMap = typeof import('../../charts/world-map.tsx').default

let Loaded: ComponentType<Parameters<WorldMap>[0]> | undefined

export function CountryMap({ id, part, onPick }: { id: number; part: Part; onPick: (code: string) => void }) {
  const [, setLoaded] = useState(Loaded)
  const [error, setError] = useState<unknown>()
  const countries = useAllRows(id, part, 'country')
  useEffect(() => {
    if (Loaded !== undefined) return
    import('../../charts/world-map.tsx').then((module) => {
      Loaded = module.default
      setLoaded(() => Loaded)
    }, setError)
  }, [])
  const counts = useMemo(
    () => new Map((countries.data ?? []).map(({ value, count }) => [value, count] as const)),
    [countries.data],
  )
  if (error !== undefined) return <ErrorState error="The map could not be loaded." retry={() => location.reload()} />
  if (countries.data === undefined && countries.isError) {
    return <ErrorState error={countries.error} retry={() => void countries.refetch()} />
  }
  return (
    <div class="website-map">
      {Loaded === undefined || countries.data === undefined ? (
        <p class="hidden-text" role="status">
          Loading the map…
        </p>
      ) : (
        <Loaded counts={counts} onPick={onPick} />
      )}
    </div>
  )
}
