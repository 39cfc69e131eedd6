import { useMediaQuery } from '../../lib/use-media-query.ts'

/** Must match monitors.css. Heights are in rem, so that rows grow with the font size. */
const NARROW_QUERY = '(max-width: 44rem)'
const ROW_HEIGHT_REM = { wide: 3.75, narrow: 4.5 }

/** Returns pixels. */
export function useRowHeight(): number {
  const isNarrow = useMediaQuery(NARROW_QUERY)
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return Math.round(rem * (isNarrow ? ROW_HEIGHT_REM.narrow : ROW_HEIGHT_REM.wide))
}
