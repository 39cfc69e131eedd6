/** The public properties of the line chart. */
import type { ComponentChildren } from 'preact'
import type { ChartBand, LineAxis, LineSeries } from './model.ts'
import type { AxisKind } from './ticks.ts'

export interface LineChartProps {
  /** Describes the chart for screen readers. */
  label: string
  /** Unix seconds, shown in the browser's time zone, or one label per value. */
  x: LineAxis
  /** Longer forms of the labels, for the tooltip and the table. */
  xTitles?: readonly string[]
  /** First and last time of the chart, in Unix seconds. The default is the times of the first and the last value. */
  xRange?: readonly [number, number]
  series: readonly LineSeries[]
  /** The slot that isn't over yet. The segment into it is dashed, and later values are gaps. */
  incompleteIndex?: number | undefined
  bands?: readonly ChartBand[]
  /** Values to mark as failed, by index, with the reason. */
  failures?: ReadonlyMap<number, string>
  /** Replaces the tooltip's list of values. The bands are added below. */
  renderTooltip?: (index: number) => ComponentChildren
  /** Lets the user select a range of values. */
  onZoom?: (fromIndex: number, toIndex: number) => void
  formatValue: (value: number) => string
  /** A shorter format for the y axis. */
  formatAxis?: (value: number) => string
  axisKind?: AxisKind
  /** Height of the chart in pixels, with its x axis. */
  height: number
}

/** The properties with defaults filled in, and what only the parts of the chart need. */
export interface PlotProps extends LineChartProps {
  bands: readonly ChartBand[]
  failures: ReadonlyMap<number, string>
  /** In pixels. */
  width: number
  /** Whether the operating system forces its colours, so that lines must differ in more than colour. */
  hasForcedColours: boolean
  formatX: (index: number) => string
}
