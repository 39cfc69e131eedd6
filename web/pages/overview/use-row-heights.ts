import { useMediaQuery } from '../../lib/use-media-query.ts'
import type { OverviewRow } from './rows.ts'

/** Row heights in pixels, by kind of row. */
export type RowHeights = Record<OverviewRow['kind'], number>

const singleLineHeights: RowHeights = { website: 56, monitor: 56 }
const twoLineHeights: RowHeights = { website: 84, monitor: 56 }
const stackedHeights: RowHeights = { website: 120, monitor: 84 }

/** Must match the layouts in overview.css. Monitor rows show no visitors, so they need fewer lines than website rows. */
export function useRowHeights(): RowHeights {
  const isWide = useMediaQuery('(min-width: 70rem)')
  const isPhone = useMediaQuery('(max-width: 44rem)')
  return isWide ? singleLineHeights : isPhone ? stackedHeights : twoLineHeights
}
