/** The rows of a panel. Clicking a row filters by its value; clicking it again removes the filter. */
import type { PanelName, StatisticsRow } from '../../../src/traffic/stats/schema.ts'
import { ValueIcon } from '../../components/value-icon.tsx'
import { formatNumber, formatPercentage } from '../../lib/format.ts'
import { createFilter, hasFilter, type TrafficFilter } from './filters.ts'
import { formatPanelValue, getCountUnit, panelLabels } from './panel-labels.ts'
import { useRegionNames } from './use-region-names.ts'

interface RowListProps {
  name: PanelName
  rows: readonly StatisticsRow[]
  /** The percentage of a row is its share of this total. */
  total: number
  /** The count of the largest row, whose bar has the full width. */
  maxCount: number
  filters: readonly TrafficFilter[]
  onFilter: (filter: TrafficFilter) => void
}

export function RowList({ name, rows, total, maxCount, filters, onFilter }: RowListProps) {
  useRegionNames(name === 'region')
  return (
    <ul class="website-rows" aria-label={panelLabels[name].plural}>
      {rows.map((row) => {
        const filter = createFilter(name, row.value)
        return (
          <li key={row.value}>
            <Row
              name={name}
              row={row}
              sharePercent={total === 0 ? 0 : (100 * row.count) / total}
              barWidthPercent={maxCount === 0 ? 0 : (100 * row.count) / maxCount}
              isFiltered={hasFilter(filters, filter)}
              onPress={() => onFilter(filter)}
            />
          </li>
        )
      })}
    </ul>
  )
}

interface RowProps {
  name: PanelName
  row: StatisticsRow
  sharePercent: number
  barWidthPercent: number
  isFiltered: boolean
  onPress: () => void
}

function Row({ name, row: { value, count }, sharePercent, barWidthPercent, isFiltered, onPress }: RowProps) {
  const label = formatPanelValue(name, value)
  return (
    <button type="button" class="website-row" aria-pressed={isFiltered} title={label} onClick={onPress}>
      <span class="website-row-bar" style={{ '--share': `${barWidthPercent}%` }} aria-hidden="true" />
      <span class="website-row-name">
        <ValueIcon panel={name} value={value} />
        <span class="clip">{label}</span>
      </span>
      <span class="numbers website-row-count">{formatNumber(count)}</span>
      <span class="hidden-text"> {getCountUnit(name, count)}, </span>
      <span class="numbers muted website-row-share">{formatPercentage(sharePercent)}</span>
    </button>
  )
}

export function RowHead({ name }: { name: PanelName }) {
  const { singular, metricLabel } = panelLabels[name]
  return (
    <div class="website-rows-head muted" aria-hidden="true">
      <span>{singular}</span>
      <span class="website-row-count">{metricLabel}</span>
      <span class="website-row-share">Share</span>
    </div>
  )
}
