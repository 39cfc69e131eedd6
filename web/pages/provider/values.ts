/** Converts a notification channel to form values, and form values to API requests. */
import type { ChannelType, Provider } from '../../lib/providers.ts'
import { type ProviderFieldInfo, providerTypeInfo } from './type-info.ts'

export interface ProviderFormValues {
  name: string
  assign_by_default: boolean
  /** Fields of every type the user has selected so far. No two types share a field name. */
  fields: Readonly<Record<string, string>>
}

export const emptyProviderFormValues: ProviderFormValues = { name: '', assign_by_default: false, fields: {} }

const readField = (provider: Provider, field: string) => `${provider[field as keyof Provider] ?? ''}`

export function toProviderFormValues(provider: Provider): ProviderFormValues {
  const { fields } = providerTypeInfo[provider.provider_type]
  return {
    name: provider.name ?? '',
    assign_by_default: provider.assign_by_default,
    fields: Object.fromEntries(fields.map(({ name, isSecret }) => [name, isSecret ? '' : readField(provider, name)])),
  }
}

const cleanField = (values: ProviderFormValues, { name, ignoredCharacters = /^\s+|\s+$/g }: ProviderFieldInfo) =>
  (values.fields[name] ?? '').replace(ignoredCharacters, '')

export function toProviderInput(type: ChannelType, values: ProviderFormValues): Record<string, unknown> {
  const name = values.name.trim()
  const fields = providerTypeInfo[type].fields.filter((field) => !field.isOptional || cleanField(values, field) !== '')
  return {
    provider_type: type,
    ...(name !== '' && { name }),
    assign_by_default: values.assign_by_default,
    ...Object.fromEntries(fields.map((field) => [field.name, cleanField(values, field)])),
  }
}

/** Returns only the changed fields. A secret is included only if the user typed a new one. */
export function diffProvider(provider: Provider, values: ProviderFormValues): Record<string, unknown> {
  const saved = toProviderFormValues(provider)
  const name = values.name.trim()
  const changedFields = providerTypeInfo[provider.provider_type].fields.filter(
    (field) => cleanField(values, field) !== (saved.fields[field.name] ?? ''),
  )
  return {
    ...(name !== saved.name && { name: name === '' ? null : name }),
    ...(values.assign_by_default !== saved.assign_by_default && { assign_by_default: values.assign_by_default }),
    ...Object.fromEntries(
      changedFields.map((field) => {
        const text = cleanField(values, field)
        return [field.name, text === '' && field.isOptional ? null : text]
      }),
    ),
  }
}
