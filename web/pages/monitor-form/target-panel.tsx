/** What to check, and how often. */
import { Activity, Crosshair, Globe } from 'lucide-preact'
import { MAX_INTERVAL_SECONDS, MIN_INTERVAL_SECONDS, type MonitorType } from '../../../src/shared/monitors.ts'
import { DAY_SECONDS } from '../../../src/shared/time.ts'
import { CheckField, TextField } from '../../components/field.tsx'
import { Section } from '../../components/section.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { addScheme } from '../../lib/address.ts'
import { formatNumber, pluralize } from '../../lib/format.ts'
import type { MonitorSectionProps } from './fields.ts'
import { PresetOrCustom } from './preset-or-custom.tsx'
import { getMonitorName } from './values.ts'

const typeChoices = [
  { value: 'http', label: 'HTTP', icon: Globe },
  { value: 'ping', label: 'Ping', icon: Activity },
] as const

const typeHints: Record<MonitorType, string> = {
  http: 'Sends an HTTP request and checks the response.',
  ping: 'Pings a host and waits for a reply.',
  tcp: 'Connects to a port, and can check what the server sends.',
  dns: 'Looks up DNS records and compares them with the expected ones.',
  tls: 'Checks a certificate and warns before it expires.',
  domain: 'Warns before the registration of a domain expires.',
  heartbeat: 'Waits for a signal from a job, and alerts if it is late.',
}

const intervalPresets = [
  { value: '10', label: '10 seconds' },
  { value: '30', label: '30 seconds' },
  { value: '60', label: '1 minute' },
  { value: '120', label: '2 minutes' },
  { value: '300', label: '5 minutes' },
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
]

/** For shorter intervals, the form shows the number of requests per day, because they can be a noticeable load. */
const FREQUENT_INTERVAL_SECONDS = 30

function describeInterval(text: string): string {
  const seconds = Number(text)
  if (seconds >= MIN_INTERVAL_SECONDS && seconds < FREQUENT_INTERVAL_SECONDS) {
    return `Sends ${formatNumber(Math.round(DAY_SECONDS / seconds))} requests a day to this target.`
  }
  return `${pluralize(MIN_INTERVAL_SECONDS, 'second')} to ${pluralize(MAX_INTERVAL_SECONDS / DAY_SECONDS, 'day')}`
}

export function TargetPanel({ form, errorsFor }: MonitorSectionProps) {
  const { values, set } = form
  const isHttp = values.type === 'http'
  return (
    <Section title="Target" icon={Crosshair} description="What to check, and how often.">
      <div class="form">
        <div class="field">
          <span class="monitor-form-label">Type</span>
          <div>
            <SegmentedControl
              label="Type"
              choices={typeChoices}
              value={values.type}
              onValue={(type) => set('type', type)}
            />
          </div>
          <p class="field-hint">{typeHints[values.type]}</p>
        </div>
        <TextField
          label={isHttp ? 'URL' : 'Host'}
          hint={isHttp ? 'Include a path to check a specific page.' : 'Hostname or IP address'}
          errors={errorsFor('url')}
          value={values.url}
          onValue={(url) => set('url', url)}
          onBlur={() => isHttp && set('url', addScheme(values.url))}
          placeholder={isHttp ? 'https://example.com/' : 'example.com'}
          inputMode="url"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
        <div class="form-pair">
          <TextField
            label="Name"
            hint="Shown in lists and alerts"
            errors={errorsFor('friendly_name')}
            value={getMonitorName(values)}
            onValue={(name) => set('friendly_name', name)}
            autocomplete="off"
          />
          <PresetOrCustom
            label="Check every"
            customLabel="Seconds between checks"
            hint={describeInterval(values.interval)}
            errors={errorsFor('interval')}
            presets={intervalPresets}
            value={values.interval}
            onValue={(interval) => set('interval', interval)}
          />
        </div>
        <CheckField
          label="Active"
          hint="Turn off to pause checks and alerts."
          errors={errorsFor('is_active')}
          isSwitch
          checked={values.is_active}
          onValue={(isActive) => set('is_active', isActive)}
        />
      </div>
    </Section>
  )
}
