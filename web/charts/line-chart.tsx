/** The large chart of a page: lines over time that mouse, touch and keyboard can explore, with legend and table. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { formatDateTime } from '../lib/format.ts'
import { useMediaQuery } from '../lib/use-media-query.ts'
import { InteractivePlot } from './line-chart/interactive-plot.tsx'
import { Legend } from './line-chart/legend.tsx'
import { type ChartBand, hideFutureValues } from './line-chart/model.ts'
import type { LineChartProps } from './line-chart/props.ts'
import { ValueTable } from './line-chart/value-table.tsx'
import './line-chart.css'

export type { ChartBand, LineSeries } from './line-chart/model.ts'

/** In high-contrast modes, the operating system replaces the page's colours with a small palette. */
const FORCED_COLOURS_QUERY = '(forced-colors: active)'
const NO_BANDS: readonly ChartBand[] = []
const NO_FAILURES: ReadonlyMap<number, string> = new Map()

export function LineChart(props: LineChartProps) {
  const { label, x, xTitles, incompleteIndex, formatValue, height } = props
  const { bands = NO_BANDS, failures = NO_FAILURES } = props
  const hasForcedColours = useMediaQuery(FORCED_COLOURS_QUERY)
  const series = useMemo(() => hideFutureValues(props.series, incompleteIndex), [props.series, incompleteIndex])
  const formatX = (index: number) => {
    const value = x[index]
    return xTitles?.[index] ?? (typeof value === 'number' ? formatDateTime(new Date(value * 1_000)) : `${value}`)
  }
  const container = useRef<HTMLDivElement>(null)
  const width = useWidth(container)
  const shared = { ...props, series, bands, failures, hasForcedColours, formatX }
  return (
    <div class="line-chart">
      {series.length > 1 && <Legend series={series} hasForcedColours={hasForcedColours} />}
      <div class="line-chart-plot" ref={container} style={{ height: `${height}px` }}>
        {width > 0 && x.length > 0 && <InteractivePlot {...shared} width={width} />}
      </div>
      <ValueTable
        label={label}
        x={x}
        formatX={formatX}
        series={series}
        bands={bands}
        failures={failures}
        formatValue={formatValue}
      />
    </div>
  )
}

/** The element's width in pixels, 0 until it is known. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element.current)
    setWidth(element.current.clientWidth)
    return () => observer.disconnect()
  }, [])
  return width
}
