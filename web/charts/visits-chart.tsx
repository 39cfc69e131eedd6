/** The visits around an incident: the actual visits as bars, and the expected ones as a line with its range. */
import { useMemo } from 'preact/hooks'
import { formatNumber } from '../lib/format.ts'
import { LineChart } from './line-chart.tsx'
import { toVisitsChart, type VisitsChartData } from './to-visits-chart.ts'

interface VisitsChartProps extends VisitsChartData {
  /** Describes the chart for screen readers. */
  label: string
  height: number
}

export function VisitsChart({ label, slots, slotSeconds, to, incident, height }: VisitsChartProps) {
  const { title, started_at, resolved_at } = incident
  const chart = useMemo(
    () => toVisitsChart({ slots, slotSeconds, to, incident: { title, started_at, resolved_at } }),
    [slots, slotSeconds, to, title, started_at, resolved_at],
  )
  return <LineChart {...chart} label={label} formatValue={formatVisits} height={height} />
}

/** An expected value below 10 has a decimal, so that 0.4 visits in five minutes are not shown as 0. */
const formatVisits = (value: number) => formatNumber(value < 10 ? Math.round(10 * value) / 10 : Math.round(value))
