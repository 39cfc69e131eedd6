/** The values in words: for whoever does not see the lines, or wants them exactly. */
import { useState } from 'preact/hooks'
import { type LineAxis, type LineSeries, notesAt, type ShadedRange } from './shape.ts'

interface ValueTableProps {
  label: string
  x: LineAxis
  nameX: (index: number) => string
  series: readonly LineSeries[]
  shaded: readonly ShadedRange[]
  formatValue: (value: number) => string
}

export function ValueTable(props: ValueTableProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="line-chart-details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The numbers as a table</summary>
      {isOpen && <Rows {...props} />}
    </details>
  )
}

function Rows({ label, x, nameX, series, shaded, formatValue }: ValueTableProps) {
  const hasNotes = shaded.length > 0
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section class="line-chart-table" aria-label={`${label}, as a table`} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">When</th>
            {series.map((one) => (
              <th key={one.label} scope="col" class="end">
                {one.label}
              </th>
            ))}
            {hasNotes && <th scope="col">What else happened</th>}
          </tr>
        </thead>
        <tbody>
          {x.map((place, index) => (
            // Not by its name alone: a clock that is put back shows an hour twice.
            <tr key={`${index} ${place}`}>
              <th scope="row">{nameX(index)}</th>
              {series.map((one) => (
                <td key={one.label} class="end numbers">
                  {showValue(one.values[index], formatValue)}
                </td>
              ))}
              {hasNotes && <td>{notesAt(x, shaded, index).join(', ')}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

export const showValue = (value: number | null | undefined, format: (value: number) => string) =>
  value == null ? '–' : format(value)
