import { useEffect, useState } from 'preact/hooks'

/** As in monitors.css: rows are told in the size of letters, so that they grow with them. */
const NARROW = '(max-width: 44rem)'
const ROW_REM = { wide: 3.75, narrow: 4.5 }

function measure(): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return Math.round(rem * (matchMedia(NARROW).matches ? ROW_REM.narrow : ROW_REM.wide))
}

/** In pixels. */
export function useRowHeight(): number {
  const [height, setHeight] = useState(measure)
  useEffect(() => {
    const media = matchMedia(NARROW)
    const update = () => setHeight(measure())
    media.addEventListener('change', update)
    return () => media.removeEventListener('change', update)
  }, [])
  return height
}
