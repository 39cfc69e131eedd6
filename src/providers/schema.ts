import type { TSchema } from 'typebox'
import {
  inputField,
  itemResponse,
  listResponse,
  nullable,
  stringEnum,
  timestamp,
  timestampOrNull,
} from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_PROVIDER_NAME_LENGTH } from '../shared/limits.ts'
import { getProviderKind, type ProviderType, providerTypes } from './kinds.ts'
import type { ProviderField } from './provider.ts'

const name = nullable(Type.String({ minLength: 1, maxLength: MAX_PROVIDER_NAME_LENGTH, examples: ['Ops'] }))
const assignByDefault = Type.Boolean({ description: 'Assign the provider to every new monitor' })

/**
 * The fields of all kinds of providers. The schema accepts any of them, and then `settings.ts` rejects those that do not
 * belong to the `provider_type` of the request.
 */
const fieldsOfAllKinds = providerTypes.flatMap((type) =>
  Object.entries(getProviderKind(type).fields).map(([name, field]) => ({ type, name, field })),
)

function toInputSchema(type: ProviderType, { schema, description, example, isRequired }: ProviderField): TSchema {
  const input = { type: 'string', ...schema, description: `${type}: ${description}`, examples: [example] }
  return Type.Optional(Type.Unsafe<string>(isRequired ? input : nullable(input as TSchema & { type: string })))
}

const inputSchemas: Record<string, TSchema> = Object.fromEntries(
  fieldsOfAllKinds.map(({ type, name, field }) => [name, toInputSchema(type, field)]),
)

const commonFields = (isNew: boolean) => ({
  name: Type.Optional(name),
  assign_by_default: inputField(assignByDefault, isNew, false),
})

/** One example for each kind of provider, because fields of different kinds cannot be combined. */
const examples = providerTypes.map((type) => ({
  provider_type: type,
  ...Object.fromEntries(Object.entries(getProviderKind(type).fields).map(([field, { example }]) => [field, example])),
}))

type InputWithFields<T> = T & { [field: string]: unknown }

export const CreateProvider = Type.Object(
  { provider_type: stringEnum(providerTypes, { examples: ['slack'] }), ...commonFields(true), ...inputSchemas },
  { additionalProperties: false, examples },
)
export type CreateProvider = InputWithFields<{
  provider_type: ProviderType
  name?: string | null
  assign_by_default?: boolean
}>

export const UpdateProvider = Type.Object(
  {
    provider_type: Type.Optional(stringEnum(providerTypes, { description: "Can't be changed", examples: ['slack'] })),
    ...commonFields(false),
    ...inputSchemas,
  },
  { additionalProperties: false, examples: [{ name: 'Night shift' }] },
)
export type UpdateProvider = Partial<CreateProvider>

export const toHintFieldName = (field: string) => `${field}_hint`

/** A secret appears in responses only as a hint. */
function toOutputSchema([field, { description, example, isRequired, isSecret }]: [string, ProviderField]): [
  string,
  TSchema,
] {
  if (isSecret) {
    return [
      toHintFieldName(field),
      Type.String({ description: 'The last four characters', examples: [example.slice(-4)] }),
    ]
  }
  const schema = Type.String({ description, examples: [example] })
  return [field, isRequired ? schema : nullable(schema)]
}

function toRecordSchema(type: ProviderType): TSchema {
  const outputs = Object.entries(getProviderKind(type).fields).map(toOutputSchema)
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

export type ProviderRecord = Record<string, unknown>

const ProviderRecord = Type.Unsafe<ProviderRecord>(Type.Union(providerTypes.map(toRecordSchema)))

export const ProviderResponse = itemResponse(ProviderRecord)
export const ProviderList = listResponse(
  ProviderRecord,
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
