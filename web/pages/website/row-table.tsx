/** The rows of a panel with all their figures. A click on a heading sorts them; a click on a row filters by its value. */
import { ArrowDown, ArrowUp } from 'lucide-preact'
import type { PanelName, StatisticsListRow } from '../../../src/traffic/stats/schema.ts'
import { Icon } from '../../components/icon.tsx'
import { ValueIcon } from '../../components/value-icon.tsx'
import { createFilter, hasFilter, type TrafficFilter } from './filters.ts'
import { formatPanelValue, panelLabels } from './panel-labels.ts'
import { listRowColumns, type RowColumn, type RowSorting, type RowSortKey, toggleSorting } from './row-columns.ts'
import { useRegionNames } from './use-region-names.ts'
import './row-table.css'

interface RowTableProps {
  name: PanelName
  rows: readonly StatisticsListRow[]
  /** The count of the largest row, whose bar has the full width. */
  maxCount: number
  sorting: RowSorting
  onSort: (sorting: RowSorting) => void
  filters: readonly TrafficFilter[]
  onFilter: (filter: TrafficFilter) => void
}

export function RowTable({ name, rows, maxCount, sorting, onSort, filters, onFilter }: RowTableProps) {
  useRegionNames(name === 'region')
  const columns = listRowColumns(name)
  const heading = (key: RowSortKey, label: string) => (
    <SortHeading key={key} label={label} sorting={sorting} sortKey={key} onSort={onSort} />
  )
  return (
    <table class="row-table" aria-label={panelLabels[name].plural} style={{ '--columns': columns.length }}>
      <thead>
        <tr>
          {heading('value', panelLabels[name].singular)}
          {columns.map(({ key, label }) => heading(key, label))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row
            key={row.value}
            name={name}
            row={row}
            columns={columns}
            barWidthPercent={maxCount === 0 ? 0 : (100 * row.count) / maxCount}
            filters={filters}
            onFilter={onFilter}
          />
        ))}
      </tbody>
    </table>
  )
}

interface SortHeadingProps {
  label: string
  sortKey: RowSortKey
  sorting: RowSorting
  onSort: (sorting: RowSorting) => void
}

function SortHeading({ label, sortKey, sorting, onSort }: SortHeadingProps) {
  const isSorted = sorting.key === sortKey
  const order = sorting.direction === 'asc' ? 'ascending' : 'descending'
  return (
    <th scope="col" aria-sort={isSorted ? order : undefined}>
      <button type="button" onClick={() => onSort(toggleSorting(sorting, sortKey))}>
        {label}
        {isSorted && <Icon icon={sorting.direction === 'asc' ? ArrowUp : ArrowDown} size={12} />}
      </button>
    </th>
  )
}

interface RowProps extends Pick<RowTableProps, 'name' | 'filters' | 'onFilter'> {
  row: StatisticsListRow
  columns: readonly RowColumn[]
  barWidthPercent: number
}

function Row({ name, row, columns, barWidthPercent, filters, onFilter }: RowProps) {
  const label = formatPanelValue(name, row.value)
  const filter = createFilter(name, row.value)
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          class="website-row"
          aria-pressed={hasFilter(filters, filter)}
          title={label}
          onClick={() => onFilter(filter)}
        >
          <span class="website-row-bar" style={{ '--share': `${barWidthPercent}%` }} aria-hidden="true" />
          <span class="website-row-name">
            <ValueIcon panel={name} value={row.value} />
            <span class="clip">{label}</span>
          </span>
        </button>
      </th>
      {columns.map(({ key, label: columnLabel, format }) => (
        <td key={key} class="numbers" data-label={columnLabel}>
          <Figure value={row[key]} format={format} />
        </td>
      ))}
    </tr>
  )
}

/** Undefined while the details are loading. */
function Figure({ value, format }: { value: number | null | undefined; format: (value: number) => string }) {
  if (value === undefined) return <span class="row-table-loading" aria-hidden="true" />
  return <span class={value === null ? 'muted' : undefined}>{value === null ? '–' : format(value)}</span>
}
