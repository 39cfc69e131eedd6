import { useMedia } from '../../lib/use-media.ts'
import type { OverviewRow } from './rows.ts'

/** In pixels, of a row of each kind. */
export type RowHeights = Record<OverviewRow['kind'], number>

const inOneLine: RowHeights = { website: 56, monitor: 56 }
const inTwo: RowHeights = { website: 84, monitor: 56 }
const belowEachOther: RowHeights = { website: 120, monitor: 84 }

/** As overview.css lays the rows out: in one line, in two, or below each other. A monitor has no visitors to show. */
export function useRowHeights(): RowHeights {
  const isWide = useMedia('(min-width: 70rem)')
  const isPhone = useMedia('(max-width: 44rem)')
  return isWide ? inOneLine : isPhone ? belowEachOther : inTwo
}
