/** The fields for what to check, and how often. */
import { Crosshair } from 'lucide-preact'
import { Link } from 'wouter-preact'
import { type CreatableMonitorType, creatableMonitorTypes, type MonitorType } from '../../../src/shared/monitors.ts'
import { ChoiceCards } from '../../components/choice-cards.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { Section } from '../../components/section.tsx'
import { TagInput } from '../../components/tag-input.tsx'
import { addScheme, toDisplayHost } from '../../lib/address.ts'
import { getHost, isProbed, monitorTypeInfo, type ProbedType } from '../../lib/monitor-types.ts'
import { DnsFields } from './dns-fields.tsx'
import { DomainFields, TlsFields } from './expiry-fields.tsx'
import type { MonitorSectionProps } from './fields.ts'
import { HeartbeatFields } from './heartbeat-fields.tsx'
import { IntervalField } from './interval-field.tsx'
import { switchType } from './switch-type.ts'
import { TcpFields } from './tcp-fields.tsx'
import { getMonitorName, type MonitorFormValues } from './values.ts'

interface TargetTexts {
  label: string
  hint: string
  placeholder: string
}

const targetTexts: Record<ProbedType, TargetTexts> = {
  http: { label: 'URL', hint: 'Include a path to check a specific page.', placeholder: 'https://example.com/' },
  ping: { label: 'Host', hint: 'Hostname or IP address', placeholder: 'example.com' },
  tcp: { label: 'Host and port', hint: 'Such as db.example.com:5432', placeholder: 'db.example.com:5432' },
  dns: { label: 'Name to look up', hint: 'Such as example.com or _sip._tcp.example.com', placeholder: 'example.com' },
  tls: { label: 'Host', hint: 'Add a port unless it is 443, such as mail.example.com:993', placeholder: 'example.com' },
  domain: {
    label: 'Domain',
    hint: 'The domain as you registered it, without www or other subdomains',
    placeholder: 'example.com',
  },
}

export function TargetPanel(props: MonitorSectionProps) {
  const { form, errorsFor } = props
  const { values, set } = form
  const { type } = values
  function chooseType(nextType: MonitorType) {
    const switchedValues = switchType(values, nextType)
    for (const name of Object.keys(switchedValues) as (keyof typeof switchedValues)[]) set(name, switchedValues[name])
  }
  return (
    <Section
      title="Target"
      icon={Crosshair}
      description={type === 'traffic' ? 'What to watch.' : 'What to check, and how often.'}
    >
      <div class="form">
        {type === 'traffic' ? (
          <WatchedWebsite url={values.url} />
        ) : (
          <TypePicker value={type} errors={errorsFor('type')} onValue={chooseType} />
        )}
        {isProbed(type) && (
          <TextField
            {...targetTexts[type]}
            key={type}
            errors={errorsFor('url')}
            value={values.url}
            onValue={(url) => set('url', url)}
            onBlur={() => type === 'http' && set('url', addScheme(values.url))}
            inputMode="url"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        )}
        <div class="form-pair">
          <TextField
            label="Name"
            hint="Shown in lists and alerts"
            errors={errorsFor('friendly_name')}
            value={getMonitorName(values)}
            onValue={(name) => set('friendly_name', name)}
            placeholder={type === 'heartbeat' ? 'Nightly backup' : undefined}
            autocomplete="off"
          />
          {isProbed(type) && (
            <IntervalField
              key={type}
              type={type}
              value={values.interval}
              errors={errorsFor('interval')}
              onValue={(interval) => set('interval', interval)}
            />
          )}
        </div>
        <OptionFields {...props} />
        <TagInput
          label="Tags"
          hint="Use tags to filter lists and select monitors for maintenance. Press Enter after each tag."
          errors={errorsFor('tags')}
          value={values.tags}
          onValue={(tags) => set('tags', tags)}
        />
        <CheckField
          label="Active"
          hint={activeHints[type] ?? 'Turn off to pause checks and alerts.'}
          errors={errorsFor('is_active')}
          isSwitch
          checked={values.is_active}
          onValue={(isActive) => set('is_active', isActive)}
        />
      </div>
    </Section>
  )
}

const activeHints: Partial<Record<MonitorType, string>> = {
  heartbeat: 'Turn off to ignore missing beats and stop alerts.',
  traffic: 'Turn off to pause the traffic alerts.',
}

/** Shown instead of a target field, because the settings of the website decide what its traffic monitor watches. */
function WatchedWebsite({ url }: { url: string }) {
  const domain = getHost(url)
  return (
    <p>
      This monitor watches the visits to <strong>{toDisplayHost(domain)}</strong>. To change what it reports, open the{' '}
      <Link href={`/${domain}/settings`}>settings of the website</Link>.
    </p>
  )
}

const fieldsByType: Partial<Record<MonitorFormValues['type'], typeof DnsFields>> = {
  tcp: TcpFields,
  dns: DnsFields,
  tls: TlsFields,
  domain: DomainFields,
  heartbeat: HeartbeatFields,
}

function OptionFields(props: MonitorSectionProps) {
  const Fields = fieldsByType[props.form.values.type]
  return Fields ? <Fields {...props} /> : null
}

const typeSentences: Record<CreatableMonitorType, string> = {
  http: 'Sends an HTTP request and checks the response: its status, text, JSON and speed.',
  ping: 'Pings a host and waits for a reply.',
  tcp: 'Connects to a port, and can check what the server sends.',
  dns: 'Looks up the records of a name, and can compare them with the ones you expect.',
  tls: 'Checks a certificate, and sends alerts on the days you choose before it expires.',
  domain: 'Asks the registry when the domain expires, and sends alerts on the days you choose before that.',
  heartbeat: 'Waits for a request from your job, and sends an alert if the job is late or fails.',
}

interface TypePickerProps {
  value: CreatableMonitorType
  errors: readonly string[]
  onValue: (type: CreatableMonitorType) => void
}

function TypePicker({ value, errors, onValue }: TypePickerProps) {
  return (
    <FieldGroup legend="Type" errors={errors}>
      <ChoiceCards
        layout="compact"
        value={value}
        onValue={onValue}
        choices={creatableMonitorTypes.map((type) => {
          const { label, description, icon } = monitorTypeInfo[type]
          return { value: type, label, hint: description, icon }
        })}
      />
      <p class="field-hint">{typeSentences[value]}</p>
    </FieldGroup>
  )
}
