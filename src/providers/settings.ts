/** A provider's name and the fields of its own kind: read from a request, alone or over what they were before. */
import { readLabel } from '../lib/label.ts'
import { FieldReader } from '../lib/reading.ts'
import { kindOf, kinds, type ProviderType } from './kinds.ts'
import type { Field, Rules, Settings } from './provider.ts'

/** Those of all kinds. */
const fieldNames = Object.values(kinds).flatMap((kind) => Object.keys(kind.fields))

interface Read {
  name: string | null
  settings: Settings
}

/** Throws what is wrong with all fields at once. What is not sent stays as it is; null empties what is optional. */
export function readProvider(
  type: ProviderType,
  input: { name?: string | null; [field: string]: unknown },
  rules: Rules,
  current: Read = { name: null, settings: {} },
): Read {
  const reader = new FieldReader()
  const name = input.name ? reader.read('name', input.name, readLabel) : input.name === null ? null : current.name
  const { fields } = kindOf(type)
  for (const field of fieldNames) {
    if (input[field] !== undefined && !Object.hasOwn(fields, field)) {
      reader.refuse(field, [`is not a field of \`provider_type\` ${type}`])
    }
  }
  const settings = Object.fromEntries(
    Object.entries(fields).map(([field, about]) => [
      field,
      settle(reader, field, about, input[field], current.settings, rules),
    ]),
  )
  reader.finish()
  return { name: name ?? null, settings }
}

function settle(
  reader: FieldReader,
  name: string,
  field: Field,
  sent: unknown,
  current: Settings,
  rules: Rules,
): string | null {
  if (sent === undefined || sent === null) {
    const kept = sent === null ? null : (current[name] ?? null)
    if (field.required && kept === null) reader.refuse(name, ['is required for this `provider_type`'])
    return kept
  }
  const text = String(sent).trim()
  if (text === '') reader.refuse(name, ['must not be empty'])
  return reader.read(name, text, (value) => field.read?.(value, rules) ?? { value }) ?? null
}
