/** The content of the tooltip, and the values beside which it is placed. */
import { Link } from 'wouter-preact'
import type { ChartGeometry, TooltipAnchor } from './geometry.ts'
import { Swatch } from './legend.tsx'
import { chooseLineStyle, formatLineValue, type LineSeries, listBandsAt } from './model.ts'
import type { PlotProps } from './props.ts'

export function findTooltipAnchor(
  index: number,
  series: readonly LineSeries[],
  { xOf, toY, top, bottom }: ChartGeometry,
): TooltipAnchor {
  const values = series.map(({ values }) => values[index]).filter((value) => value != null)
  if (values.length === 0) return { x: xOf(index), y: (top + bottom) / 2, top, bottom }
  const ys = values.map(toY)
  return { x: xOf(index), y: ys[0] ?? bottom, top: Math.min(...ys), bottom: Math.max(...ys) }
}

export function TooltipRows(props: PlotProps & { index: number }) {
  const { index, x, series, bands, failures, formatValue, formatX, renderTooltip, hasForcedColours } = props
  return (
    <>
      {renderTooltip?.(index) ?? (
        <>
          <strong>{formatX(index)}</strong>
          {series.map((line, position) => (
            <span key={line.label} class="line-chart-key">
              <Swatch colourVar={line.colourVar} lineStyle={chooseLineStyle(line, position, hasForcedColours)} />
              {line.label}
              <b class="numbers">{formatLineValue(line, index, formatValue)}</b>
            </span>
          ))}
        </>
      )}
      {failures.has(index) && (
        <span class="line-chart-note">
          <b>Failed</b>
          <span>{failures.get(index)}</span>
        </span>
      )}
      {listBandsAt(x, bands, index).map(({ title, detail, href }, position) => (
        <span key={position} class="line-chart-note">
          <b>
            {href === undefined ? (
              title
            ) : (
              <Link href={href} tabIndex={-1}>
                {title}
              </Link>
            )}
          </b>
          {detail !== undefined && <span>{detail}</span>}
        </span>
      ))}
    </>
  )
}
