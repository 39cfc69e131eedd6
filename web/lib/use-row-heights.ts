/**
 * Heights of the rows of monitor lists. A list that renders only visible rows must also know the height of the hidden
 * rows.
 */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { UPTIME_DAYS } from '../../src/shared/monitors.ts'
import { countLines, getRemSize } from './count-lines.ts'
import type { OverviewMonitor } from './overview.ts'
import { useMediaQuery } from './use-media-query.ts'

/**
 * In rem, so that rows grow with the font size. The list gives its rows these heights, so the content of a row, as the
 * page's style sheet lays it out, must fit.
 */
export interface RowSizes<K extends string> {
  heights: Record<K, number>
  /** The part of a row's width that isn't available to `OngoingIncident`. */
  incidentInset: number
  /** Added to the height of a row that shows `OngoingIncident`, which says why a monitor is down. */
  incidentSpace: number
  /** Added to the height of a row with tags or a maintenance, if these need a line of their own. */
  tagSpace: number
}

interface RowHeights<K extends string> {
  /** The number of bars, one for each day. Bars keep their width, so a narrow window shows fewer days. */
  dayCount: number
  getHeight: (kind: K, monitor: OverviewMonitor | undefined, hasTags?: boolean) => number
}

const NARROW_DAY_COUNT = 30
/** The line height of `OngoingIncident`, in rem. */
const INCIDENT_LINE_HEIGHT = 1.25
/** In rem, from tokens.css and layout.css. */
const MAX_PAGE_WIDTH = 84
const PAGE_MARGINS = 2

/** Pass the same `table` and `cards` objects on every render, because new objects recompute all heights. */
export function useRowHeights<K extends string>(table: RowSizes<K>, cards: RowSizes<K>): RowHeights<K> {
  const isWide = useMediaQuery('(min-width: 70rem)')
  const isPhone = useMediaQuery('(max-width: 44rem)')
  const windowWidth = useWindowWidth()
  return useMemo(() => {
    const rem = getRemSize()
    const { heights, incidentInset, incidentSpace, tagSpace } = isPhone ? cards : table
    const incidentWidth = Math.min(windowWidth - PAGE_MARGINS * rem, MAX_PAGE_WIDTH * rem) - incidentInset * rem
    return {
      dayCount: isWide ? UPTIME_DAYS : NARROW_DAY_COUNT,
      getHeight: (kind, monitor, hasTags = false) => {
        const height = heights[kind] + (hasTags ? tagSpace : 0)
        if (monitor?.status !== 'down') return Math.round(height * rem)
        // The text begins with a duration that grows, so reserve space for a long one.
        const lineCount = countLines(`Down for 59 min 59 s · ${monitor.last_error ?? ''}`, incidentWidth)
        return Math.round((height + incidentSpace + lineCount * INCIDENT_LINE_HEIGHT) * rem)
      },
    }
  }, [table, cards, isWide, isPhone, windowWidth])
}

/** The width of the page in pixels, without the scroll bar. */
function useWindowWidth(): number {
  const [width, setWidth] = useState(() => document.documentElement.clientWidth)
  useEffect(() => {
    const update = () => setWidth(document.documentElement.clientWidth)
    window.addEventListener('resize', update)
    return () => window.removeEventListener('resize', update)
  }, [])
  return width
}
