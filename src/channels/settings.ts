/** Parses the name and the fields of a channel from a request. */
import { FieldParser, parseDisplayName } from '../lib/field-parser.ts'
import type { ChannelRules, ChannelSettings } from './common/channel.ts'
import { parseField, requireSecretAgain } from './field-values.ts'
import { type ChannelType, channelKinds, getChannelKind } from './kinds.ts'

const fieldNamesOfAllKinds = new Set(Object.values(channelKinds).flatMap((kind) => Object.keys(kind.fields)))

interface ParsedChannel {
  name: string | null
  settings: ChannelSettings
}

/**
 * Parses the name and the fields. Throws a Problem that lists all errors. Missing fields keep their `current` value;
 * null clears optional fields.
 */
export function parseChannelSettings(
  type: ChannelType,
  input: { name?: string | null; [field: string]: unknown },
  rules: ChannelRules,
  current: ParsedChannel = { name: null, settings: {} },
): ParsedChannel {
  const parser = new FieldParser()
  const name = input.name
    ? parser.parse('name', input.name, parseDisplayName)
    : input.name === null
      ? null
      : current.name
  const { fields } = getChannelKind(type)
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
