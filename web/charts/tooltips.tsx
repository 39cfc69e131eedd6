/**
 * One tooltip for all small charts inside this component: uptime bars and sparklines. A list has hundreds of these
 * charts, so they have no handlers of their own. Each chart has the attributes `data-chart`, `data-id` and
 * `data-points`. The pointer, a finger, or the left and right arrow keys in a row choose a point.
 */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { TooltipBox } from '../components/tooltip.tsx'
import { hasModifier } from '../lib/shortcuts.ts'
import { findNextPoint, findPointAt, findPointRect, type Rect } from './points.ts'

export interface TooltipDetails {
  title: string
  value: string
  note?: string
  /** A second line below the note. */
  detail?: string | undefined
  /** A class for the colour of the mark beside the value. */
  tone?: string
}

interface ChartTooltipsProps {
  /** Describes a point, or returns undefined if there is nothing to say about it. */
  describe: (chart: string, id: number, point: number) => TooltipDetails | undefined
  children: ComponentChildren
  class?: string
}

interface ShownPoint {
  chart: SVGElement
  point: number
  isByKey: boolean
}

const CHART = '[data-points]'
const countPoints = (chart: SVGElement) => Number(chart.dataset['points'])
const findChart = (target: EventTarget | null) => (target instanceof Element ? target.closest<SVGElement>(CHART) : null)

export function ChartTooltips({ describe, children, class: className }: ChartTooltipsProps) {
  const [shown, setShown] = useState<ShownPoint>()
  const root = useRef<HTMLDivElement>(null)
  const hide = () => setShown(undefined)

  useEffect(() => {
    if (shown === undefined) return
    const hideOnEscape = (event: KeyboardEvent) => event.key === 'Escape' && hide()
    const hideOnTapElsewhere = ({ target }: Event) => findChart(target) === null && hide()
    document.addEventListener('keydown', hideOnEscape)
    document.addEventListener('pointerdown', hideOnTapElsewhere)
    document.addEventListener('scroll', hide, { capture: true, passive: true })
    return () => {
      document.removeEventListener('keydown', hideOnEscape)
      document.removeEventListener('pointerdown', hideOnTapElsewhere)
      document.removeEventListener('scroll', hide, { capture: true })
    }
  }, [shown === undefined])

  function onPointer({ target, clientX }: PointerEvent) {
    const chart = findChart(target)
    if (chart === null) {
      if (shown?.isByKey === false) hide()
      return
    }
    const point = findPointAt(chart.getBoundingClientRect(), countPoints(chart), clientX)
    if (shown?.chart !== chart || shown.point !== point) setShown({ chart, point, isByKey: false })
  }

  function onKeyDown(event: KeyboardEvent) {
    if (hasModifier(event) || !(event.target instanceof Element)) return
    // The chart itself may have the focus, or another element of its row.
    const row = event.target.closest('[data-chart-row]') ?? event.target
    const charts = [row, ...row.querySelectorAll(CHART)].filter((each) => each.matches(CHART)) as SVGElement[]
    const chart =
      charts.find((each) => each === shown?.chart) ?? charts.find((each) => each.dataset['chart'] === 'uptime')
    if (chart === undefined) return
    const point = findNextPoint(event.key, shown?.chart === chart ? shown.point : undefined, countPoints(chart))
    if (point === undefined) return
    event.preventDefault()
    setShown({ chart, point, isByKey: true })
  }

  const details =
    shown?.chart.isConnected &&
    describe(`${shown.chart.dataset['chart']}`, Number(shown.chart.dataset['id']), shown.point)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles pointer and keys for the charts inside
    <div
      ref={root}
      class={className}
      onPointerMove={(event) => event.pointerType !== 'touch' && hasMoved(event) && onPointer(event)}
      onPointerDown={(event) => event.pointerType === 'touch' && onPointer(event)}
      onPointerLeave={(event) => event.pointerType !== 'touch' && shown?.isByKey === false && hide()}
      onKeyDown={onKeyDown}
      onFocusOut={() => shown?.isByKey && hide()}
    >
      {children}
      {shown && details && (
        <>
          <PointMark rect={findPointRect(shown.chart.getBoundingClientRect(), countPoints(shown.chart), shown.point)} />
          <TooltipBox
            findAnchor={() => findPointRect(shown.chart.getBoundingClientRect(), countPoints(shown.chart), shown.point)}
          >
            <PointDetails details={details} />
          </TooltipBox>
        </>
      )}
      <p class="hidden-text" role="status">
        {shown?.isByKey && details
          ? [details.title, details.value, details.note, details.detail].filter(Boolean).join(', ')
          : ''}
      </p>
    </div>
  )
}

/** While a list scrolls under a pointer that rests, browsers report moves, too. They would show and hide a tooltip for each row. */
const hasMoved = ({ movementX, movementY }: PointerEvent) => movementX !== 0 || movementY !== 0

function PointMark({ rect: { left, top, width, height } }: { rect: Rect }) {
  return (
    <span
      class="chart-mark"
      aria-hidden="true"
      style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}
    />
  )
}

function PointDetails({ details: { title, value, note, detail, tone } }: { details: TooltipDetails }) {
  return (
    <span class="chart-details">
      <span class="muted">{title}</span>
      <strong class="numbers">
        {tone && <span class={`chart-tone chart-tone-${tone}`} />}
        {value}
      </strong>
      {note && <span class="muted">{note}</span>}
      {detail && <span class="muted">{detail}</span>}
    </span>
  )
}
