/** Parses the name and the fields of a provider from a request. */
import { FieldParser, parseDisplayName } from '../lib/field-parser.ts'
import { parseField, requireSecretAgain } from './field-values.ts'
import { getProviderKind, type ProviderType, providerKinds } from './kinds.ts'
import type { ProviderRules, ProviderSettings } from './provider.ts'

const fieldNamesOfAllKinds = new Set(Object.values(providerKinds).flatMap((kind) => Object.keys(kind.fields)))

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
  const sentFields = Object.entries(fields).map(([name, field]) => ({
    name,
    field,
    input: input[name],
    current: current.settings[name] ?? null,
  }))
  const settings = Object.fromEntries(sentFields.map((sent) => [sent.name, parseField(parser, sent, rules)]))
  const destination = sentFields.find(({ field }) => 'isDestination' in field && field.isDestination)
  if (destination !== undefined && destination.current !== settings[destination.name]) {
    for (const sent of sentFields) if (sent !== destination) requireSecretAgain(parser, sent, destination.name)
  }
  parser.throwIfInvalid()
  return { name: name ?? null, settings }
}
