/** The map of visitors by country. Its code is loaded when it is first shown. */
import type { ComponentType } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ErrorState } from '../../components/states.tsx'
import { ValueIcon } from '../../components/value-icon.tsx'
import { type TrafficSelection, useAllRows } from './queries.ts'

type WorldMap = typeof import('../../charts/world-map.tsx').default

let LoadedMap: ComponentType<Parameters<WorldMap>[0]> | undefined

interface CountryMapProps {
  id: number
  /** The percentage of a country is its share of this total. */
  totalVisitors: number
  selection: TrafficSelection
  onPick: (countryCode: string) => void
}

export function CountryMap({ id, totalVisitors, selection, onPick }: CountryMapProps) {
  const [, setLoaded] = useState(LoadedMap)
  const [error, setError] = useState<unknown>()
  const countries = useAllRows(id, selection, 'country')
  useEffect(() => {
    if (LoadedMap !== undefined) return
    import('../../charts/world-map.tsx').then((module) => {
      LoadedMap = module.default
      setLoaded(() => LoadedMap)
    }, setError)
  }, [])
  const visitorsByCountry = useMemo(
    () => new Map((countries.data ?? []).map(({ value, count }) => [value, count] as const)),
    [countries.data],
  )
  if (error !== undefined) return <ErrorState error="Couldn't load the map." retry={() => location.reload()} />
  if (countries.data === undefined && countries.isError) {
    return <ErrorState error={countries.error} retry={() => void countries.refetch()} />
  }
  return (
    <div class="website-map">
      {LoadedMap === undefined || countries.data === undefined ? (
        <p class="hidden-text" role="status">
          Loading map…
        </p>
      ) : (
        <LoadedMap
          visitorsByCountry={visitorsByCountry}
          totalVisitors={totalVisitors}
          renderIcon={(code) => <ValueIcon panel="country" value={code} />}
          onPick={onPick}
        />
      )}
    </div>
  )
}
