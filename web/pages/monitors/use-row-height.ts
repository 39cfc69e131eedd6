import { useMedia } from '../../lib/use-media-query.ts'

/** As in monitors.css: rows are told in the size of letters, so that they grow with them. */
const NARROW = '(max-width: 44rem)'
const ROW_REM = { wide: 3.75, narrow: 4.5 }

/** In pixels. */
export function useRowHeight(): number {
  const isNarrow = useMedia(NARROW)
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return Math.round(rem * (isNarrow ? ROW_REM.narrow : ROW_REM.wide))
}
