/** Sizes of the rows. They must match overview.css. The list needs every height before it renders a row. */
import { useMemo } from 'preact/hooks'
import { UPTIME_DAYS } from '../../../src/shared/monitors.ts'
import { countLines, getRemSize } from '../../lib/count-lines.ts'
import { useMediaQuery } from '../../lib/use-media-query.ts'
import { useWindowWidth } from '../../lib/use-window-width.ts'
import type { OverviewRow } from './rows.ts'

/** Bars keep their width, so a narrow window shows fewer days. */
const NARROW_DAY_COUNT = 30

/** In rem, so that rows grow with the font size. */
const TABLE_HEIGHTS = { website: 3.375, monitor: 3.625, downLine: 1.25, downSpace: 0.5 }
const CARD_HEIGHTS = { website: 9, monitor: 6.75, downLine: 1.25, downSpace: 0.375 }
/** Space beside the text of a down note, without the margins of the page. */
const TABLE_NOTE_INSET = 5
const CARD_NOTE_INSET = 3.5
const PAGE_MARGINS = 2
const MAX_PAGE_WIDTH = 76

export interface RowLayout {
  dayCount: number
  getRowHeight: (row: OverviewRow) => number
  /** Height of a website's row while nothing is known about it. */
  placeholderHeight: number
}

export function useRowLayout(): RowLayout {
  const isWide = useMediaQuery('(min-width: 70rem)')
  const isPhone = useMediaQuery('(max-width: 44rem)')
  const windowWidth = useWindowWidth()
  return useMemo(() => {
    const rem = getRemSize()
    const heights = isPhone ? CARD_HEIGHTS : TABLE_HEIGHTS
    const listWidth = Math.min(windowWidth - PAGE_MARGINS * rem, MAX_PAGE_WIDTH * rem)
    const noteWidth = listWidth - (isPhone ? CARD_NOTE_INSET : TABLE_NOTE_INSET) * rem
    return {
      dayCount: isWide ? UPTIME_DAYS : NARROW_DAY_COUNT,
      placeholderHeight: Math.round(heights.website * rem),
      getRowHeight: ({ kind, monitor }) => {
        if (monitor?.status !== 'down') return Math.round(heights[kind] * rem)
        // The relative time before the reason changes, so reserve space for a long one.
        const lineCount = countLines(`Went down 59 minutes ago · ${monitor.last_error ?? ''}`, noteWidth)
        return Math.round((heights[kind] + heights.downSpace + lineCount * heights.downLine) * rem)
      },
    }
  }, [isWide, isPhone, windowWidth])
}
