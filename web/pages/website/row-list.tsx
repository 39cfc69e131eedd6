/** The values of a panel: a click on one shows its part alone, another click everything again. */
import type { PanelName, StatisticsRow } from '../../../src/traffic/stats/schema.ts'
import { formatNumber, formatPercent } from '../../lib/format.ts'
import { type Filter, filterOf, hasFilter } from './filters.ts'
import { countedWord, nameValue, panelWords } from './panel-labels.ts'

interface RowListProps {
  name: PanelName
  rows: readonly StatisticsRow[]
  /** All there is, of which a row is a share. */
  whole: number
  /** The largest there is, whose bar fills the row. */
  most: number
  filters: readonly Filter[]
  onFilter: (filter: Filter) => void
}

export function RowList({ name, rows, whole, most, filters, onFilter }: RowListProps) {
  return (
    <ul class="website-rows" aria-label={panelWords[name].many}>
      {rows.map((row) => {
        const filter = filterOf(name, row.value)
        return (
          <li key={row.value}>
            <Row
              name={name}
              row={row}
              share={whole === 0 ? 0 : (100 * row.count) / whole}
              width={most === 0 ? 0 : (100 * row.count) / most}
              isOn={hasFilter(filters, filter)}
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
  /** Both in percent. */
  share: number
  width: number
  isOn: boolean
  onPress: () => void
}

function Row({ name, row: { value, count }, share, width, isOn, onPress }: RowProps) {
  const shown = nameValue(name, value)
  return (
    <button type="button" class="website-row" aria-pressed={isOn} title={shown} onClick={onPress}>
      <span class="website-row-bar" style={{ width: `${width}%` }} aria-hidden="true" />
      <span class="clip website-row-name">{shown}</span>
      <span class="numbers">{formatNumber(count)}</span>
      <span class="hidden-text"> {countedWord(name, count)}, </span>
      <span class="numbers muted small website-row-share">{formatPercent(share)}</span>
    </button>
  )
}

export function RowHead({ name }: { name: PanelName }) {
  const { one, counted } = panelWords[name]
  return (
    <div class="website-rows-head muted small" aria-hidden="true">
      <span>{one}</span>
      <span>{counted}</span>
    </div>
  )
}
