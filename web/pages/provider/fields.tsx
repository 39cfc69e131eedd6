/** The form fields of a notification channel, with setup steps for its type. */
import { CheckField, TextField } from '../../components/field.tsx'
import type { ChannelType, Provider } from '../../lib/providers.ts'
import type { Form } from '../../lib/use-form.ts'
import { TransportNote } from '../providers/transport-note.tsx'
import { type ProviderFieldInfo, providerTypeInfo } from './type-info.ts'
import type { ProviderFormValues } from './values.ts'

interface ProviderFieldsProps {
  type: ChannelType
  form: Form<ProviderFormValues>
  /** Undefined for a new channel. */
  provider?: Provider
}

/** The error notice of the form omits the errors of these fields, because each field displays its own. */
export const listProviderFieldNames = (type: ChannelType) => [
  'name',
  'assign_by_default',
  ...providerTypeInfo[type].fields.map(({ name }) => name),
]

/** The last characters of a saved secret. */
function findSecretHint(provider: Provider | undefined, { name, isSecret }: ProviderFieldInfo): string | undefined {
  if (!isSecret || provider === undefined) return undefined
  return `${provider[`${name}_hint` as keyof Provider] ?? ''}`
}

export function ProviderFields({ type, form, provider }: ProviderFieldsProps) {
  const { values, set, errorsFor } = form
  const { steps, fields } = providerTypeInfo[type]
  return (
    <>
      <TransportNote type={type} />
      {steps.length > 0 && provider === undefined && (
        <ol class="provider-steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {fields.map((field) => {
        const secretHint = findSecretHint(provider, field)
        return (
          <TextField
            key={field.name}
            label={field.label}
            hint={secretHint === undefined ? field.hint : `${field.hint} Leave empty to keep the saved value.`}
            errors={errorsFor(field.name)}
            placeholder={secretHint === undefined ? field.placeholder : `Saved: ••••${secretHint}`}
            inputMode={field.inputMode}
            value={values.fields[field.name] ?? ''}
            onValue={(text) => set('fields', { ...values.fields, [field.name]: text })}
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
          />
        )
      })}
      <TextField
        label="Name (optional)"
        hint="Shown in lists, for example “Night shift”"
        errors={errorsFor('name')}
        value={values.name}
        onValue={(name) => set('name', name)}
        autocomplete="off"
      />
      <CheckField
        label="Assign to every new monitor"
        hint="Existing monitors aren't affected."
        errors={errorsFor('assign_by_default')}
        isSwitch
        checked={values.assign_by_default}
        onValue={(isDefault) => set('assign_by_default', isDefault)}
      />
    </>
  )
}
