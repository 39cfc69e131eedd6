import { useMediaQuery } from '../../lib/use-media-query.ts'
import type { OverviewRow } from './rows.ts'

/** Pixels, by kind of row. */
export type RowHeights = Record<OverviewRow['kind'], number>

const singleLine: RowHeights = { website: 56, monitor: 56 }
const twoLines: RowHeights = { website: 84, monitor: 56 }
const stacked: RowHeights = { website: 120, monitor: 84 }

/** Must match the layouts in overview.css. Monitor rows show no visitors, so they need fewer lines than website rows. */
export function useRowHeights(): RowHeights {
  const isWide = useMediaQuery('(min-width: 70rem)')
  const isPhone = useMediaQuery('(max-width: 44rem)')
  return isWide ? singleLine : isPhone ? stacked : twoLines
}
