/** The fields for alerts before a certificate or a domain expires. */
import { MAX_WARN_DAY, MAX_WARN_DAYS } from '../../../src/shared/monitors.ts'
import { TextField } from '../../components/field.tsx'
import type { MonitorSectionProps } from './fields.ts'

export function TlsFields(props: MonitorSectionProps) {
  const {
    form: { values, set },
    errorsFor,
  } = props
  return (
    <div class="form-pair">
      <WarnDaysField {...props} type="tls" />
      <TextField
        label="Server name"
        hint="Optional. The name that the certificate must be valid for, if it isn't the host."
        errors={errorsFor('tls.server_name')}
        value={values.server_name}
        onValue={(name) => set('server_name', name)}
        placeholder="shop.example.com"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
    </div>
  )
}

export const DomainFields = (props: MonitorSectionProps) => <WarnDaysField {...props} type="domain" />

function WarnDaysField({ form, errorsIn, type }: MonitorSectionProps & { type: 'tls' | 'domain' }) {
  return (
    <TextField
      label="Days before expiry to send alerts"
      hint={`Up to ${MAX_WARN_DAYS} numbers from 1 to ${MAX_WARN_DAY}, separated by commas`}
      errors={errorsIn(`${type}.warn_days`)}
      value={form.values.warn_days}
      onValue={(days) => form.set('warn_days', days)}
      placeholder="30, 14, 7, 1"
      autocomplete="off"
    />
  )
}
