import { useCallback } from 'preact/hooks'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { type RowSizes, useRowHeights } from '../../lib/use-row-heights.ts'

/** The content of a row, as monitors.css lays it out, must fit these sizes. */
const tableSizes: RowSizes<'monitor'> = {
  heights: { monitor: 3.75 },
  incidentInset: 5.5,
  incidentSpace: 0.5,
  tagSpace: 0,
}
const cardSizes: RowSizes<'monitor'> = {
  heights: { monitor: 6.75 },
  incidentInset: 4.5,
  incidentSpace: 0.375,
  tagSpace: 1.9,
}

/** `dayCount` is the number of uptime bars. Heights are in pixels. */
export function useMonitorRowLayout() {
  const { dayCount, getHeight } = useRowHeights(tableSizes, cardSizes)
  const getRowHeight = useCallback(
    (monitor: OverviewMonitor) =>
      getHeight('monitor', monitor, monitor.tags.length > 0 || monitor.maintenance_until !== null),
    [getHeight],
  )
  return { dayCount, getRowHeight, placeholderHeight: getHeight('monitor', undefined) }
}
