/** Parses the name and the fields of a provider from a request. */
import { FieldParser, parseDisplayName } from '../lib/field-parser.ts'
import { getProviderKind, type ProviderType, providerKinds } from './kinds.ts'
import type { ProviderField, ProviderRules, ProviderSettings } from './provider.ts'

const fieldNamesOfAllKinds = Object.values(providerKinds).flatMap((kind) => Object.keys(kind.fields))

interface ParsedProvider {
  name: string | null
  settings: ProviderSettings
}

/** Throws a Problem that lists all errors. Missing fields keep their `current` value; null clears optional fields. */
export function parseProvider(
  type: ProviderType,
  input: { name?: string | null; [field: string]: unknown },
  rules: ProviderRules,
  current: ParsedProvider = { name: null, settings: {} },
): ParsedProvider {
  const parser = new FieldParser()
  const name = input.name
    ? parser.parse('name', input.name, parseDisplayName)
    : input.name === null
      ? null
      : current.name
  const { fields } = getProviderKind(type)
  for (const field of fieldNamesOfAllKinds) {
    if (input[field] !== undefined && !Object.hasOwn(fields, field)) {
      parser.addErrors(field, [`is not a setting of notification channels of type ${type}`])
    }
  }
  const settings = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      parseField(parser, { name, field, input: input[name], current: current.settings[name] ?? null }, rules),
    ]),
  )
  parser.throwIfInvalid()
  return { name: name ?? null, settings }
}

interface FieldInput {
  name: string
  field: ProviderField
  input: unknown
  current: string | null
}

function parseField(
  parser: FieldParser,
  { name, field, input, current }: FieldInput,
  rules: ProviderRules,
): string | null {
  if (input === undefined || input === null) {
    const value = input === null ? null : current
    if (field.isRequired && value === null)
      parser.addErrors(name, ['is required for this type of notification channel'])
    return value
  }
  const text = String(input).trim()
  if (text === '') parser.addErrors(name, ['must not be empty'])
  return parser.parse(name, text, (value) => field.parse?.(value, rules) ?? { value }) ?? null
}
