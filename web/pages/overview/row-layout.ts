import { useCallback } from 'preact/hooks'
import { type RowSizes, useRowHeights } from '../../lib/use-row-heights.ts'
import { listRowTags, type OverviewRow } from './rows.ts'

/** The content of a row, as overview.css lays it out, must fit these sizes. */
const tableSizes: RowSizes<OverviewRow['kind']> = {
  heights: { website: 3.375, monitor: 3.625 },
  incidentInset: 5,
  incidentSpace: 0.5,
  tagSpace: 0,
}
const cardSizes: RowSizes<OverviewRow['kind']> = {
  heights: { website: 9, monitor: 6.75 },
  incidentInset: 3.5,
  incidentSpace: 0.375,
  tagSpace: 1.9,
}

export interface RowLayout {
  /** The number of uptime bars. */
  dayCount: number
  /** In pixels. */
  getRowHeight: (row: OverviewRow) => number
  /** Height of the placeholder that stands for a website's row while the page loads. */
  placeholderHeight: number
}

export function useRowLayout(): RowLayout {
  const { dayCount, getHeight } = useRowHeights(tableSizes, cardSizes)
  const getRowHeight = useCallback(
    (row: OverviewRow) => {
      const hasTags = listRowTags(row).length > 0 || (row.monitor?.maintenance_until ?? null) !== null
      return getHeight(row.kind, row.monitor, hasTags)
    },
    [getHeight],
  )
  return { dayCount, getRowHeight, placeholderHeight: getHeight('website', undefined) }
}
