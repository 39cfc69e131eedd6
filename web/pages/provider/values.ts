/** Converts a notification channel to form values, and form values to API requests. */
import { findRepeatedHeader, type HeaderRow, toHeaderRows, toHeadersInput } from '../../lib/header-rows.ts'
import type { ChannelType, Provider } from '../../lib/providers.ts'
import { type ProviderFieldInfo, providerTypeInfo } from './type-info.ts'

type FieldTexts = Readonly<Record<string, string>>

export interface ProviderFormValues {
  name: string
  assign_by_default: boolean
  /** The fields of every type that the user has selected so far, so that changing the type back loses nothing. */
  fields: Readonly<Partial<Record<ChannelType, FieldTexts>>>
  headers: readonly HeaderRow[]
  /** Names of saved secrets to remove. */
  removedSecrets: readonly string[]
}

export const emptyProviderFormValues: ProviderFormValues = {
  name: '',
  assign_by_default: false,
  fields: {},
  headers: [],
  removedSecrets: [],
}

const readRecord = (provider: Provider, field: string) => `${provider[field as keyof Provider] ?? ''}`

export function toProviderFormValues(provider: Provider): ProviderFormValues {
  const { provider_type: type, headers = {} } = provider
  const { fields } = providerTypeInfo[type]
  return {
    ...emptyProviderFormValues,
    name: provider.name ?? '',
    assign_by_default: provider.assign_by_default,
    fields: {
      [type]: Object.fromEntries(
        fields.map(({ name, isSecret }) => [name, isSecret ? '' : readRecord(provider, name)]),
      ),
    },
    headers: toHeaderRows(headers),
  }
}

export const getFieldText = (type: ChannelType, values: ProviderFormValues, field: ProviderFieldInfo) =>
  values.fields[type]?.[field.name] ?? field.initialValue ?? ''

export function setFieldText(
  type: ChannelType,
  values: ProviderFormValues,
  name: string,
  text: string,
): ProviderFormValues['fields'] {
  return { ...values.fields, [type]: { ...values.fields[type], [name]: text } }
}

function cleanField(type: ChannelType, values: ProviderFormValues, field: ProviderFieldInfo): string {
  return getFieldText(type, values, field).replace(field.ignoredCharacters ?? /^\s+|\s+$/g, '')
}

/** The server can't detect duplicates, because it receives the headers as an object. */
export function findProviderFormErrors(type: ChannelType, values: ProviderFormValues): Record<string, string[]> {
  const repeatedName = providerTypeInfo[type].hasHeaders ? findRepeatedHeader(values.headers) : undefined
  return repeatedName === undefined ? {} : { headers: [`${repeatedName} is listed twice.`] }
}

export function toProviderInput(type: ChannelType, values: ProviderFormValues): Record<string, unknown> {
  const name = values.name.trim()
  const info = providerTypeInfo[type]
  const fields = info.fields.filter((field) => !field.isOptional || cleanField(type, values, field) !== '')
  const headers = toHeadersInput(values.headers)
  return {
    provider_type: type,
    ...(name !== '' && { name }),
    assign_by_default: values.assign_by_default,
    ...Object.fromEntries(fields.map((field) => [field.name, cleanField(type, values, field)])),
    ...(info.hasHeaders && Object.keys(headers).length > 0 && { headers }),
  }
}

/** Returns only the changed fields. A secret is included only if the user typed a new one or removed the saved one. */
export function diffProvider(provider: Provider, values: ProviderFormValues): Record<string, unknown> {
  const { provider_type: type } = provider
  const saved = toProviderFormValues(provider)
  const name = values.name.trim()
  const info = providerTypeInfo[type]
  const changedFields = info.fields.filter(
    (field) =>
      cleanField(type, values, field) !== (saved.fields[type]?.[field.name] ?? '') ||
      values.removedSecrets.includes(field.name),
  )
  const headers = toHeadersInput(values.headers)
  const haveHeadersChanged = JSON.stringify(headers) !== JSON.stringify(toHeadersInput(saved.headers))
  return {
    ...(name !== saved.name && { name: name === '' ? null : name }),
    ...(values.assign_by_default !== saved.assign_by_default && { assign_by_default: values.assign_by_default }),
    ...Object.fromEntries(
      changedFields.map((field) => {
        const text = cleanField(type, values, field)
        return [field.name, text === '' && field.isOptional ? null : text]
      }),
    ),
    ...(info.hasHeaders && haveHeadersChanged && { headers }),
  }
}

/** Whether the address that gets the saved secrets changes. The server then asks for the secrets again. */
export function hasNewDestination(provider: Provider | undefined, values: ProviderFormValues): boolean {
  if (provider === undefined) return false
  const type = provider.provider_type
  const saved = toProviderFormValues(provider)
  return providerTypeInfo[type].fields.some(
    (field) => field.isDestination && cleanField(type, values, field) !== (saved.fields[type]?.[field.name] ?? ''),
  )
}
