import type { TSchema } from 'typebox'
import {
  inputField,
  itemResponse,
  listResponse,
  nullable,
  resourceId,
  stringEnum,
  timestamp,
  timestampOrNull,
} from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_CHANNEL_NAME_LENGTH } from '../shared/limits.ts'
import type { ChannelField } from './common/channel.ts'
import { createHint, isHeadersField } from './field-values.ts'
import { type ChannelType, channelTypes, getChannelKind } from './kinds.ts'

const name = nullable(Type.String({ minLength: 1, maxLength: MAX_CHANNEL_NAME_LENGTH, examples: ['Ops'] }))
const assignByDefault = Type.Boolean({ description: 'Assign the provider to every new monitor' })

interface FieldOfKind {
  type: ChannelType
  field: ChannelField
}

/**
 * The fields of all kinds of channels by name; several kinds can have a field of the same name. The schema accepts any of them, and
 * then `settings.ts` rejects those that do not belong to the `provider_type` of the request.
 */
const fieldsByName = new Map<string, FieldOfKind[]>()
for (const type of channelTypes) {
  for (const [name, field] of Object.entries<ChannelField>(getChannelKind(type).fields)) {
    fieldsByName.set(name, [...(fieldsByName.get(name) ?? []), { type, field }])
  }
}

function toInputSchema(fields: readonly FieldOfKind[]): TSchema {
  const schemas = fields.map(({ field }) => toValueSchema(field))
  const input = {
    ...Object.assign({}, ...schemas),
    type: [...new Set(schemas.flatMap(({ type }) => type))],
    description: fields.map(({ type, field }) => `${type}: ${field.description}`).join('. '),
    examples: [fields[0]?.field.example],
  }
  const lengths = schemas.flatMap(({ maxLength }) => maxLength ?? [])
  const isNullable = fields.some(({ field }) => !field.isRequired)
  return Type.Optional(
    Type.Unsafe<unknown>({
      ...input,
      type: isNullable ? [...input.type, 'null'] : input.type.length === 1 ? input.type[0] : input.type,
      ...(lengths.length > 0 && { maxLength: Math.max(...lengths) }),
    }),
  )
}

function toValueSchema(field: ChannelField): { type: string | string[]; maxLength?: number } {
  if (!isHeadersField(field)) return { type: 'string', ...field.schema }
  return Type.Record(Type.String(), Type.String(), { maxProperties: field.maxHeaders })
}

const inputSchemas: Record<string, TSchema> = Object.fromEntries(
  [...fieldsByName].map(([name, fields]) => [name, toInputSchema(fields)]),
)

const commonFields = (isNew: boolean) => ({
  name: Type.Optional(name),
  assign_by_default: inputField(assignByDefault, isNew, false),
})

/** One example for each kind of channel, because fields of different kinds cannot be combined. */
const examples = channelTypes.map((type) => ({
  provider_type: type,
  ...Object.fromEntries(Object.entries(getChannelKind(type).fields).map(([field, { example }]) => [field, example])),
}))

type InputWithFields<T> = T & { [field: string]: unknown }

export const CreateChannel = Type.Object(
  { provider_type: stringEnum(channelTypes, { examples: ['slack'] }), ...commonFields(true), ...inputSchemas },
  { additionalProperties: false, examples },
)
export type CreateChannel = InputWithFields<{
  provider_type: ChannelType
  name?: string | null
  assign_by_default?: boolean
}>

export const UpdateChannel = Type.Object(
  {
    provider_type: Type.Optional(stringEnum(channelTypes, { description: "Can't be changed", examples: ['slack'] })),
    ...commonFields(false),
    ...inputSchemas,
  },
  { additionalProperties: false, examples: [{ name: 'Night shift' }] },
)
export type UpdateChannel = Partial<CreateChannel>

/**
 * Without `provider_id`, the body contains the fields of a new channel. With `provider_id`, it contains the fields of
 * that channel that change.
 */
export const TestChannelSettings = Type.Object(
  {
    provider_id: Type.Optional(
      Type.Integer({
        ...resourceId,
        description: 'Tests a change of this provider: fields that are not sent keep their saved values',
        examples: [7],
      }),
    ),
    provider_type: Type.Optional(
      stringEnum(channelTypes, { description: 'Required without `provider_id`', examples: ['slack'] }),
    ),
    ...commonFields(false),
    ...inputSchemas,
  },
  { additionalProperties: false, examples },
)
export type TestChannelSettings = UpdateChannel & { provider_id?: number }

/** The names of headers are not secret, so responses contain the headers themselves, with hints as values. */
export const toHintFieldName = (name: string, field: ChannelField) => (isHeadersField(field) ? name : `${name}_hint`)

/** A secret appears in responses only as a hint. */
function toOutputSchema([name, field]: [string, ChannelField]): [string, TSchema] {
  const { description, isRequired, isSecret } = field
  if (isHeadersField(field)) {
    const hints = createHint(field, field.example)
    const schema = { description: 'Header names, each with the last four characters of its value', examples: [hints] }
    return [name, Type.Record(Type.String(), Type.String(), schema)]
  }
  const schema = isSecret
    ? Type.String({ description: 'The last four characters', examples: [field.example.slice(-4)] })
    : Type.String({ description, examples: [field.example] })
  return [isSecret ? toHintFieldName(name, field) : name, isRequired ? schema : nullable(schema)]
}

function toRecordSchema(type: ChannelType): TSchema {
  const outputs = Object.entries(getChannelKind(type).fields).map(toOutputSchema)
  return Type.Object(
    {
      id: Type.Integer({ examples: [7] }),
      provider_type: Type.Literal(type, { examples: [type] }),
      name,
      assign_by_default: Type.Boolean({ examples: [false] }),
      ...Object.fromEntries(outputs),
      failure: nullable(
        Type.String({
          description: 'Why the last alert was given up; null after a later message was sent',
          examples: ['Slack responded with 404: no_service.'],
        }),
      ),
      failed_at: timestampOrNull,
      created_at: timestamp,
      updated_at: timestamp,
    },
    { additionalProperties: false },
  )
}

export type ChannelRecord = Record<string, unknown>

const ChannelRecord = Type.Unsafe<ChannelRecord>(Type.Union(channelTypes.map(toRecordSchema)))

export const ChannelResponse = itemResponse(ChannelRecord)
export const ChannelList = listResponse(
  ChannelRecord,
  Type.Object({ total: Type.Integer({ examples: [1] }) }, { additionalProperties: false }),
)

export const TestNotificationResponse = itemResponse(
  Type.Object(
    {
      success: Type.Literal(true),
      provider_id: Type.Integer({ examples: [7] }),
      message: Type.String({ examples: ['Slack accepted the message: ok'] }),
    },
    { additionalProperties: false },
  ),
)

export const UnsavedTestResponse = itemResponse(
  Type.Object(
    {
      success: Type.Literal(true),
      provider_id: nullable(Type.Integer({ description: '`provider_id` of the request', examples: [7] })),
      message: Type.String({ examples: ['Slack accepted the message: ok'] }),
    },
    { additionalProperties: false },
  ),
)
