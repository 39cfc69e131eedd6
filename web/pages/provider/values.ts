/** A provider as it stands in the form, and what is sent of it. */
import type { Provider, ProviderType } from '../../lib/providers.ts'
import { type FieldWords, kindWords } from './type-info.ts'

export interface Values {
  name: string
  assign_by_default: boolean
  /** Of all kinds that were looked at: no two kinds have a field of the same name. */
  fields: Readonly<Record<string, string>>
}

export const newValues: Values = { name: '', assign_by_default: false, fields: {} }

const shownOf = (provider: Provider, field: string) => `${provider[field as keyof Provider] ?? ''}`

export function valuesOf(provider: Provider): Values {
  const { fields } = kindWords[provider.provider_type]
  return {
    name: provider.name ?? '',
    assign_by_default: provider.assign_by_default,
    fields: Object.fromEntries(fields.map(({ name, isSecret }) => [name, isSecret ? '' : shownOf(provider, name)])),
  }
}

const textOf = (values: Values, { name, ignored = /^\s+|\s+$/g }: FieldWords) =>
  (values.fields[name] ?? '').replace(ignored, '')

export function inputOf(type: ProviderType, values: Values): Record<string, unknown> {
  const name = values.name.trim()
  const sent = kindWords[type].fields.filter((field) => !field.isOptional || textOf(values, field) !== '')
  return {
    provider_type: type,
    ...(name !== '' && { name }),
    assign_by_default: values.assign_by_default,
    ...Object.fromEntries(sent.map((field) => [field.name, textOf(values, field)])),
  }
}

/** Only what is different; a secret only where a new one was typed. */
export function changesOf(provider: Provider, values: Values): Record<string, unknown> {
  const before = valuesOf(provider)
  const name = values.name.trim()
  const changed = kindWords[provider.provider_type].fields.filter(
    (field) => textOf(values, field) !== (before.fields[field.name] ?? ''),
  )
  return {
    ...(name !== before.name && { name: name === '' ? null : name }),
    ...(values.assign_by_default !== before.assign_by_default && { assign_by_default: values.assign_by_default }),
    ...Object.fromEntries(
      changed.map((field) => {
        const text = textOf(values, field)
        return [field.name, text === '' && field.isOptional ? null : text]
      }),
    ),
  }
}
