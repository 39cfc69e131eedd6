import { useMedia } from '../../lib/use-media.ts'

/** As overview.css lays the rows out: in one line, in two, or below each other. */
export function useRowHeight(): number {
  const isWide = useMedia('(min-width: 70rem)')
  const isPhone = useMedia('(max-width: 44rem)')
  return isWide ? 56 : isPhone ? 120 : 84
}
