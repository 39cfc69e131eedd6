import { useEffect, useState } from 'preact/hooks'
import { getRegionName } from '../../lib/get-region-name.ts'

/** `formatPanelValue` needs the names of regions. Renders the component again when they have been loaded. */
export function useRegionNames(isNeeded: boolean): void {
  const [, setLoaded] = useState(false)
  useEffect(() => {
    if (!isNeeded) return
    // The names may have been loaded after rendering but before this effect, so render again even if they are already there.
    void Promise.resolve(getRegionName('US-CA')).then(() => setLoaded(true))
  }, [isNeeded])
}
