/** The fields of one kind, and where to find what they want. */
import { CheckField, TextField } from '../../components/field.tsx'
import { describeFieldErrors } from '../../lib/field-errors.ts'
import type { Provider, ProviderType } from '../../lib/providers.ts'
import type { Form } from '../../lib/use-form.ts'
import { TransportNote } from '../providers/transport-note.tsx'
import { type FieldWords, kindWords } from './type-info.ts'
import type { Values } from './values.ts'

interface KindFieldsProps {
  type: ProviderType
  form: Form<Values>
  /** Where there is one already. */
  provider?: Provider
}

export const shownFields = (type: ProviderType) => [
  'name',
  'assign_by_default',
  ...kindWords[type].fields.map(({ name }) => name),
]

function keptEnd(provider: Provider | undefined, { name, isSecret }: FieldWords): string | undefined {
  if (!isSecret || provider === undefined) return undefined
  return `${provider[`${name}_hint` as keyof Provider] ?? ''}`
}

export function KindFields({ type, form, provider }: KindFieldsProps) {
  const { values, set } = form
  const { steps, fields } = kindWords[type]
  const errorsOf = (name: string) => describeFieldErrors(form.errorsOf(name), name)
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
        const kept = keptEnd(provider, field)
        return (
          <TextField
            key={field.name}
            label={field.label}
            hint={kept === undefined ? field.hint : `${field.hint} It stays as it is unless you type another.`}
            errors={errorsOf(field.name)}
            placeholder={kept === undefined ? field.placeholder : `Kept: ••••${kept}`}
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
        hint="How it is called here, for instance “Night shift”."
        errors={errorsOf('name')}
        value={values.name}
        onValue={(name) => set('name', name)}
        autocomplete="off"
      />
      <CheckField
        label="Assign to every new monitor"
        hint="Those that are there already stay as they are."
        errors={errorsOf('assign_by_default')}
        checked={values.assign_by_default}
        onValue={(isDefault) => set('assign_by_default', isDefault)}
      />
    </>
  )
}
