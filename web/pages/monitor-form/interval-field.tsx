import {
  MAX_INTERVAL_SECONDS,
  MIN_DOMAIN_INTERVAL_SECONDS,
  MIN_INTERVAL_SECONDS,
  type MonitorType,
} from '../../../src/shared/monitors.ts'
import { DAY_SECONDS } from '../../../src/shared/time.ts'
import { formatNumber, pluralize } from '../../lib/format.ts'
import { PresetOrCustom } from './preset-or-custom.tsx'

const presets = [
  { value: '10', label: '10 seconds' },
  { value: '30', label: '30 seconds' },
  { value: '60', label: '1 minute' },
  { value: '120', label: '2 minutes' },
  { value: '300', label: '5 minutes' },
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '21600', label: '6 hours' },
  { value: '86400', label: '1 day' },
]

/** For shorter intervals, the form shows the number of requests per day, because they can be a noticeable load. */
const FREQUENT_INTERVAL_SECONDS = 30

function describeInterval(type: MonitorType, text: string): string {
  const seconds = Number(text)
  if (seconds >= MIN_INTERVAL_SECONDS && seconds < FREQUENT_INTERVAL_SECONDS) {
    return `Sends ${formatNumber(Math.round(DAY_SECONDS / seconds))} requests a day to this target.`
  }
  const shortest = type === 'domain' ? '1 hour' : pluralize(MIN_INTERVAL_SECONDS, 'second')
  return `${shortest} to ${pluralize(MAX_INTERVAL_SECONDS / DAY_SECONDS, 'day')}`
}

interface IntervalFieldProps {
  type: MonitorType
  value: string
  errors: readonly string[]
  onValue: (value: string) => void
}

export function IntervalField({ type, value, errors, onValue }: IntervalFieldProps) {
  const minSeconds = type === 'domain' ? MIN_DOMAIN_INTERVAL_SECONDS : MIN_INTERVAL_SECONDS
  return (
    <PresetOrCustom
      label="Check every"
      customLabel="Seconds between checks"
      hint={describeInterval(type, value)}
      errors={errors}
      presets={presets.filter((preset) => Number(preset.value) >= minSeconds)}
      value={value}
      onValue={onValue}
    />
  )
}
