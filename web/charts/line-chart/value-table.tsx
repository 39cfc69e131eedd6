/** The values as a table, for screen readers and for exact numbers. */
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { type ChartBand, formatLineValue, type LineAxis, type LineSeries, listBandsAt } from './model.ts'

interface ValueTableProps {
  label: string
  x: LineAxis
  formatX: (index: number) => string
  series: readonly LineSeries[]
  bands: readonly ChartBand[]
  failures: ReadonlyMap<number, string>
  formatValue: (value: number) => string
}

export function ValueTable(props: ValueTableProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="line-chart-details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>View as table</summary>
      {isOpen && <Table {...props} />}
    </details>
  )
}

function Table({ label, x, formatX, series, bands, failures, formatValue }: ValueTableProps) {
  const hasNotes = bands.length > 0 || failures.size > 0
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section class="line-chart-table" aria-label={`${label} (table)`} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map((line) => (
              <th key={line.label} scope="col" class="end">
                {line.label}
              </th>
            ))}
            {hasNotes && <th scope="col">Notes</th>}
          </tr>
        </thead>
        <tbody>
          {x.map((value, index) => (
            // Labels aren't unique: an hour appears twice when daylight saving time ends.
            <tr key={`${index} ${value}`}>
              <th scope="row">{formatX(index)}</th>
              {series.map((line) => (
                <td key={line.label} class="end numbers">
                  {formatLineValue(line, index, formatValue)}
                </td>
              ))}
              {hasNotes && (
                <td>
                  {failures.has(index) && <div>{failures.get(index)}</div>}
                  {listBandsAt(x, bands, index).map((band, position) => (
                    <Note key={position} band={band} />
                  ))}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Note({ band: { title, detail, href } }: { band: ChartBand }) {
  return (
    <div>
      {href === undefined ? title : <Link href={href}>{title}</Link>}
      {detail !== undefined && <span class="muted"> {detail}</span>}
    </div>
  )
}
