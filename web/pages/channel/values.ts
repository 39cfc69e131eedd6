/** Converts a notification channel to form values, and form values to API requests. */

import type { Channel, ChannelType } from '../../lib/channels.ts'
import { findRepeatedHeader, type HeaderRow, toHeaderRows, toHeadersInput } from '../../lib/header-rows.ts'
import { type ChannelFieldInfo, channelTypeInfo } from './type-info.ts'

type FieldTexts = Readonly<Record<string, string>>

export interface ChannelFormValues {
  name: string
  assign_by_default: boolean
  /** The fields of every type that the user has selected so far, so that changing the type back loses nothing. */
  fields: Readonly<Partial<Record<ChannelType, FieldTexts>>>
  headers: readonly HeaderRow[]
  /** Names of saved secrets to remove. */
  removedSecrets: readonly string[]
}

export const emptyChannelFormValues: ChannelFormValues = {
  name: '',
  assign_by_default: false,
  fields: {},
  headers: [],
  removedSecrets: [],
}

const readRecord = (channel: Channel, field: string) => `${channel[field as keyof Channel] ?? ''}`

export function toChannelFormValues(channel: Channel): ChannelFormValues {
  const { provider_type: type, headers = {} } = channel
  const { fields } = channelTypeInfo[type]
  return {
    ...emptyChannelFormValues,
    name: channel.name ?? '',
    assign_by_default: channel.assign_by_default,
    fields: {
      [type]: Object.fromEntries(fields.map(({ name, isSecret }) => [name, isSecret ? '' : readRecord(channel, name)])),
    },
    headers: toHeaderRows(headers),
  }
}

export const getFieldText = (type: ChannelType, values: ChannelFormValues, field: ChannelFieldInfo) =>
  values.fields[type]?.[field.name] ?? field.initialValue ?? ''

export function setFieldText(
  type: ChannelType,
  values: ChannelFormValues,
  name: string,
  text: string,
): ChannelFormValues['fields'] {
  return { ...values.fields, [type]: { ...values.fields[type], [name]: text } }
}

function cleanField(type: ChannelType, values: ChannelFormValues, field: ChannelFieldInfo): string {
  return getFieldText(type, values, field).replace(field.ignoredCharacters ?? /^\s+|\s+$/g, '')
}

/** The server can't detect duplicate header names, because it receives the headers as an object. */
export function findChannelFormErrors(type: ChannelType, values: ChannelFormValues): Record<string, string[]> {
  const repeatedName = channelTypeInfo[type].hasHeaders ? findRepeatedHeader(values.headers) : undefined
  return repeatedName === undefined ? {} : { headers: [`${repeatedName} is listed twice.`] }
}

export function toChannelInput(type: ChannelType, values: ChannelFormValues): Record<string, unknown> {
  const name = values.name.trim()
  const info = channelTypeInfo[type]
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
export function diffChannel(channel: Channel, values: ChannelFormValues): Record<string, unknown> {
  const { provider_type: type } = channel
  const savedValues = toChannelFormValues(channel)
  const name = values.name.trim()
  const info = channelTypeInfo[type]
  const changedFields = info.fields.filter(
    (field) =>
      cleanField(type, values, field) !== (savedValues.fields[type]?.[field.name] ?? '') ||
      values.removedSecrets.includes(field.name),
  )
  const headers = toHeadersInput(values.headers)
  const haveHeadersChanged = JSON.stringify(headers) !== JSON.stringify(toHeadersInput(savedValues.headers))
  return {
    ...(name !== savedValues.name && { name: name === '' ? null : name }),
    ...(values.assign_by_default !== savedValues.assign_by_default && { assign_by_default: values.assign_by_default }),
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
export function hasNewDestination(channel: Channel | undefined, values: ChannelFormValues): boolean {
  if (channel === undefined) return false
  const type = channel.provider_type
  const savedValues = toChannelFormValues(channel)
  return channelTypeInfo[type].fields.some(
    (field) =>
      field.isDestination && cleanField(type, values, field) !== (savedValues.fields[type]?.[field.name] ?? ''),
  )
}
