import { useEffect, useState } from 'preact/hooks'
import { getRegionName } from '../../lib/get-region-name.ts'

/** Renders the component again when the names of regions have been loaded, which `formatPanelValue` needs. */
export function useRegionNames(isNeeded: boolean): void {
  const [, setLoaded] = useState(false)
  useEffect(() => {
    if (!isNeeded) return
    // The names may have been loaded after rendering but before this effect, so render again even if they are already there.
    void Promise.resolve(getRegionName('US-CA')).then(() => setLoaded(true))
  }, [isNeeded])
}
