import { useEffect, useState } from 'preact/hooks'
import { getRegionName } from '../../lib/region-names.ts'

/** Renders the component again when the names of regions have been loaded, which `formatPanelValue` needs. */
export function useRegionNames(isNeeded: boolean): void {
  const [, setLoaded] = useState(false)
  useEffect(() => {
    if (!isNeeded) return
    const name = getRegionName('US-CA')
    if (typeof name !== 'string') void name.then(() => setLoaded(true))
  }, [isNeeded])
}
