import { SegmentedControl } from '../../components/segmented-control.tsx'
import { PHONE_QUERY, useMediaQuery } from '../../lib/use-media-query.ts'
import { windowLabels } from './labels.ts'
import type { ChartWindow } from './queries.ts'

interface PeriodControlProps<T extends ChartWindow> {
  windows: readonly T[]
  value: T
  onValue: (window: T) => void
}

export function PeriodControl<T extends ChartWindow>({ windows, value, onValue }: PeriodControlProps<T>) {
  const isPhone = useMediaQuery(PHONE_QUERY)
  return (
    <SegmentedControl
      label="Period"
      choices={windows.map((window) => ({
        value: window,
        // A phone has room only for the names that the API uses, such as 24h.
        label: isPhone ? window : window === '1h' ? 'Last hour' : windowLabels[window],
      }))}
      value={value}
      onValue={onValue}
    />
  )
}
