import { useEffect, useState } from 'preact/hooks'
import { getRegionName } from '../../lib/region-names.ts'

/** Renders the component again when the names of regions have been loaded, which `formatPanelValue` needs. */
export function useRegionNames(isNeeded: boolean): void {
  const [, setLoaded] = useState(false)
  useEffect(() => {
    if (!isNeeded) return
    // The names may also have been loaded between rendering and this effect, so this renders again even if they are here.
    void Promise.resolve(getRegionName('US-CA')).then(() => setLoaded(true))
  }, [isNeeded])
}
