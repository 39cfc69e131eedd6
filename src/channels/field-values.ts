/** Parses, hides and lists the values of channel fields. A field holds a text or headers. */
import type { FieldParser } from '../lib/field-parser.ts'
import { type CustomHeaders, createHeaderHints, listStoredHeaders, parseHeaders } from '../lib/http-headers.ts'
import { createSecretHint } from '../lib/text.ts'
import type { ChannelField, ChannelRules, HeadersField, SettingValue, TextField } from './common/channel.ts'

export const isHeadersField = (field: ChannelField): field is HeadersField => 'maxHeaders' in field

interface SentField {
  name: string
  field: ChannelField
  /** undefined: not sent. null: remove the value. */
  input: unknown
  current: SettingValue
}

export function parseField(
  parser: FieldParser,
  { name, field, input, current }: SentField,
  rules: ChannelRules,
): SettingValue {
  if (input === undefined || input === null) {
    const value = input === null ? null : current
    if (field.isRequired && value === null)
      parser.addErrors(name, ['is required for this type of notification channel'])
    return value
  }
  if (isHeadersField(field)) {
    const headers = parser.parse(name, input as CustomHeaders, (sent) =>
      parseHeaders(sent, (current ?? {}) as CustomHeaders, field.isReserved),
    )
    return headers === undefined || Object.keys(headers).length === 0 ? null : headers
  }
  return parseText(parser, { name, field, text: String(input).trim() }, rules)
}

function parseText(
  parser: FieldParser,
  { name, field, text }: { name: string; field: TextField; text: string },
  rules: ChannelRules,
): string | null {
  const { maxLength } = field.schema
  if (text === '') {
    parser.addErrors(name, ['must not be empty'])
    return null
  }
  // Kinds share field names, so the schema allows the longest limit of all kinds. The limit of this kind is checked
  // here.
  if (text.length > maxLength) {
    parser.addErrors(name, [`must have at most ${maxLength} characters`])
    return null
  }
  return parser.parse(name, text, (value) => field.parse?.(value, rules) ?? { value }) ?? null
}

/**
 * A client that doesn't know a stored secret must not be able to send it to a server of its choice. Reports the secrets that would
 * keep their stored value although `destination` changes.
 */
export function requireSecretAgain(
  parser: FieldParser,
  { name, field, input, current }: SentField,
  destination: string,
): void {
  if (!field.isSecret || current === null || input === null) return
  if (!isHeadersField(field)) {
    if (input === undefined) {
      const removal = field.isRequired ? '' : ', or null to remove it,'
      parser.addErrors(name, [
        `must be sent again${removal} because \`${destination}\` changes and the stored value is not sent to another address`,
      ])
    }
    return
  }
  const storedHeaders = current as CustomHeaders
  const sentHeaders = (input ?? createHeaderHints(storedHeaders)) as CustomHeaders
  const storedNames = listStoredHeaders(sentHeaders, storedHeaders)
  if (storedNames.length > 0) {
    parser.addErrors(name, [
      `must contain the full value of ${storedNames.join(', ')}, because \`${destination}\` changes and stored values are not sent to another address`,
    ])
  }
}

/** Returns what responses contain instead of a secret. */
export function createHint(field: ChannelField, value: SettingValue): SettingValue {
  if (isHeadersField(field)) return createHeaderHints((value ?? {}) as CustomHeaders)
  return value === null && !field.isRequired ? null : createSecretHint((value ?? '') as string)
}

/** Returns the texts that must not appear in logs and responses. */
export function listSecretTexts(field: ChannelField, value: SettingValue): string[] {
  if (!field.isSecret || value === null) return []
  return typeof value === 'string' ? [value] : Object.values(value)
}
