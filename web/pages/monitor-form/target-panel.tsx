/** What is checked, and how often. */

import { MIN_INTERVAL_SECONDS } from '../../../src/shared/monitors.ts'
import { DAY_SECONDS } from '../../../src/shared/time.ts'
import { CheckField, TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { addScheme } from '../../lib/address.ts'
import { formatNumber } from '../../lib/format.ts'
import type { PartProps } from './fields.ts'
import { ChoiceOrNumber } from './preset-or-custom.tsx'
import { nameOf, type Values } from './values.ts'

const types = [
  { value: 'http', label: 'Web address' },
  { value: 'ping', label: 'Ping' },
] as const

const aboutTypes: Record<Values['type'], string> = {
  http: 'Asks for the page as a browser would, and looks at the answer.',
  ping: 'Sends small packets to a host and waits for one to come back.',
}

const intervals = [
  { value: '10', label: '10 seconds' },
  { value: '30', label: '30 seconds' },
  { value: '60', label: '1 minute' },
  { value: '120', label: '2 minutes' },
  { value: '300', label: '5 minutes' },
  { value: '900', label: '15 minutes' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
]

/** Below it a site may notice. */
const OFTEN_SECONDS = 30

function intervalHint(text: string): string {
  const seconds = Number(text)
  if (!(seconds >= MIN_INTERVAL_SECONDS && seconds < OFTEN_SECONDS)) return `${MIN_INTERVAL_SECONDS} seconds to 1 day.`
  return `Each check is a request to the site: ${formatNumber(Math.round(DAY_SECONDS / seconds))} a day.`
}

export function TargetPanel({ form, errorsOf }: PartProps) {
  const { values, set } = form
  const isHttp = values.type === 'http'
  return (
    <Panel title="What to watch">
      <div class="form">
        <div class="field">
          <span class="monitor-form-label">How</span>
          <div>
            <SegmentedControl label="How" choices={types} value={values.type} onValue={(type) => set('type', type)} />
          </div>
          <p class="field-hint">{aboutTypes[values.type]}</p>
        </div>
        <TextField
          label="Address"
          hint={isHttp ? 'With its path, if it matters.' : 'A host or an IP address.'}
          errors={errorsOf('url')}
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
            hint="How it is called here and in messages."
            errors={errorsOf('friendly_name')}
            value={nameOf(values)}
            onValue={(name) => set('friendly_name', name)}
            autocomplete="off"
          />
          <ChoiceOrNumber
            label="Check every"
            otherLabel="Seconds between checks"
            hint={intervalHint(values.interval)}
            errors={errorsOf('interval')}
            choices={intervals}
            value={values.interval}
            onValue={(interval) => set('interval', interval)}
          />
        </div>
        <CheckField
          label="Active"
          hint="Without this it is kept, but neither checked nor reported."
          errors={errorsOf('is_active')}
          checked={values.is_active}
          onValue={(isActive) => set('is_active', isActive)}
        />
      </div>
    </Panel>
  )
}
