/** Lines over time, for the big chart of a page. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatDateTime } from '../lib/format.ts'
import { useMedia } from '../lib/use-media-query.ts'
import { FORCED_COLOURS, makePalette, watchTheme } from './line-chart/palette.ts'
import { type Drawn, dataOf, optionsOf } from './line-chart/plot.ts'
import {
  hasLabels,
  type LineAxis,
  type LineSeries,
  notesAt,
  placeTip,
  type ShadedRange,
  type Stroke,
  strokeOf,
} from './line-chart/shape.ts'
import { showValue, ValueTable } from './line-chart/value-table.tsx'
import './line-chart.css'

export type { LineSeries, ShadedRange } from './line-chart/shape.ts'

interface LineChartProps {
  /** What it shows, in a sentence. */
  label: string
  /** Unix seconds, shown by the reader's clock; or a label for each value. */
  x: LineAxis
  /** Longer than the labels, for the values that are pointed at. */
  xTitles?: readonly string[]
  series: readonly LineSeries[]
  shaded?: readonly ShadedRange[]
  formatValue: (value: number) => string
  /** Where the axis needs it shorter. */
  formatAxis?: (value: number) => string
  /** In pixels. */
  height: number
}

interface Pointed {
  index: number
  /** From the left of the chart, in pixels. */
  left: number
}

export function LineChart(props: LineChartProps) {
  const { label, x, xTitles, series, shaded = [], formatValue, height } = props
  const place = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState<Pointed>()
  const isPlain = useMedia(FORCED_COLOURS)
  usePlot(place, { ...props, isPlain, formatAxis: props.formatAxis ?? formatValue }, setPointed)
  const nameX = (index: number) => {
    const value = x[index]
    return xTitles?.[index] ?? (typeof value === 'number' ? formatDateTime(new Date(value * 1_000)) : `${value}`)
  }
  return (
    <div class="line-chart">
      {series.length > 1 && <Legend series={series} isPlain={isPlain} />}
      <div class="line-chart-place">
        <div ref={place} role="img" aria-label={label} style={{ height: `${height}px` }} />
        {pointed !== undefined && pointed.index < x.length && (
          <Tip at={pointed.left}>
            <strong>{nameX(pointed.index)}</strong>
            {series.map((one, index) => (
              <span key={one.label} class="line-chart-key">
                <Swatch colourVar={one.colourVar} stroke={strokeOf(one, index, isPlain)} />
                {one.label}
                <b class="numbers">{showValue(one.values[pointed.index], formatValue)}</b>
              </span>
            ))}
            {notesAt(x, shaded, pointed.index).map((note) => (
              <span key={note} class="line-chart-note">
                {note}
              </span>
            ))}
          </Tip>
        )}
      </div>
      <ValueTable label={label} x={x} nameX={nameX} series={series} shaded={shaded} formatValue={formatValue} />
    </div>
  )
}

/** Beside what is pointed at, which may be near the edge. */
function Tip({ at, children }: { at: number; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const tip = box.current
    if (tip) tip.style.left = `${placeTip(at, tip.offsetWidth, tip.parentElement?.clientWidth ?? 0)}px`
  })
  return (
    <div ref={box} class="line-chart-tip" aria-hidden="true">
      {children}
    </div>
  )
}

function Legend({ series, isPlain }: { series: readonly LineSeries[]; isPlain: boolean }) {
  return (
    <ul class="line-chart-legend small muted">
      {series.map((one, index) => (
        <li key={one.label} class="line-chart-key">
          <Swatch colourVar={one.colourVar} stroke={strokeOf(one, index, isPlain)} />
          {one.label}
        </li>
      ))}
    </ul>
  )
}

function Swatch({ colourVar, stroke }: { colourVar: string; stroke: Stroke }) {
  return (
    <span
      class="line-chart-swatch"
      aria-hidden="true"
      style={{ borderTopColor: `var(${colourVar})`, borderTopStyle: stroke }}
    />
  )
}

/** A new chart only where its lines are others; new values, sizes and colours go into the one that is there. */
function usePlot(
  place: { current: HTMLDivElement | null },
  drawn: Drawn,
  setPointed: (pointed: Pointed | undefined) => void,
): void {
  const latest = useRef(drawn)
  latest.current = drawn
  const plot = useRef<uPlot>()
  const lines = drawn.series.map(({ values: _, ...rest }) => rest)
  const kind = JSON.stringify([hasLabels(drawn.x), drawn.height, drawn.isPlain, lines])

  // All that makes another chart is in `kind`; the rest is asked for when it is drawn.
  useEffect(() => {
    const box = place.current
    if (box === null) return
    const palette = makePalette(box)
    const onPoint = (now: uPlot) => {
      const { idx } = now.cursor
      if (idx == null || (now.cursor.left ?? -1) < 0) return setPointed(undefined)
      const inside = now.valToPos(now.data[0][idx] ?? 0, 'x')
      setPointed({ index: idx, left: inside + now.over.offsetLeft })
    }
    const options = optionsOf(() => latest.current, palette, { width: box.clientWidth, onPoint })
    const made = new uPlot(options, dataOf(latest.current), box)
    plot.current = made
    const sizes = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height: latest.current.height }))
    sizes.observe(box)
    const stopWatching = watchTheme(() => {
      palette.forget()
      made.redraw(false)
    })
    return () => {
      stopWatching()
      sizes.disconnect()
      made.destroy()
      plot.current = undefined
      setPointed(undefined)
    }
  }, [kind])

  const { x, series, shaded } = drawn
  useEffect(() => plot.current?.setData(dataOf({ x, series })), [x, series, shaded])
}
