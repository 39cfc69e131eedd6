import { type TSchema, Type } from 'typebox'
import { listOf, one, oneOf, orNull, sent, time, timeOrNull } from '../lib/schemas.ts'
import { kindOf, type ProviderType, providerTypes } from './kinds.ts'
import type { Field } from './provider.ts'

const name = orNull(Type.String({ minLength: 1, maxLength: 100, examples: ['Ops'] }))
const byDefault = Type.Boolean({ description: 'Assigned to every new monitor' })

/** Of all kinds; which of them a request may have is for its provider_type to say. */
const fields = providerTypes.flatMap((type) =>
  Object.entries(kindOf(type).fields).map(([field, about]) => ({ type, field, ...about })),
)

function inputOf({ type, schema, description, example, required }: Field & { type: ProviderType }): TSchema {
  const input = { type: 'string', ...schema, description: `${type}: ${description}`, examples: [example] }
  return Type.Optional(Type.Unsafe<string>(required ? input : orNull(input as TSchema & { type: string })))
}

const inputs: Record<string, TSchema> = Object.fromEntries(fields.map((about) => [about.field, inputOf(about)]))

const common = (isNew: boolean) => ({
  name: Type.Optional(name),
  assign_by_default: sent(byDefault, isNew, false),
})

/** One for each kind: all fields together would be refused. */
const examples = providerTypes.map((type) => ({
  provider_type: type,
  ...Object.fromEntries(Object.entries(kindOf(type).fields).map(([field, { example }]) => [field, example])),
}))

type Input<T> = T & { [field: string]: unknown }

export const CreateProvider = Type.Object(
  { provider_type: oneOf(providerTypes, { examples: ['slack'] }), ...common(true), ...inputs },
  { additionalProperties: false, examples },
)
export type CreateProvider = Input<{
  provider_type: ProviderType
  name?: string | null
  assign_by_default?: boolean
}>

export const UpdateProvider = Type.Object(
  {
    provider_type: Type.Optional(oneOf(providerTypes, { description: 'Cannot be changed', examples: ['slack'] })),
    ...common(false),
    ...inputs,
  },
  { additionalProperties: false, examples: [{ name: 'Night shift' }] },
)
export type UpdateProvider = Partial<CreateProvider>

export const hintName = (field: string) => `${field}_hint`

/** What a record shows of a field. */
function shownOf([field, { description, example, required, secret }]: [string, Field]): [string, TSchema] {
  if (secret) {
    return [hintName(field), Type.String({ description: 'Its last four characters', examples: [example.slice(-4)] })]
  }
  const shown = Type.String({ description, examples: [example] })
  return [field, required ? shown : orNull(shown)]
}

function recordOf(type: ProviderType): TSchema {
  const shown = Object.entries(kindOf(type).fields).map(shownOf)
  return Type.Object(
    {
      id: Type.Integer({ examples: [7] }),
      provider_type: Type.Literal(type, { examples: [type] }),
      name,
      assign_by_default: Type.Boolean({ examples: [false] }),
      ...Object.fromEntries(shown),
      failure: orNull(
        Type.String({
          description: 'What its last alert failed with for good; null once something was taken again',
          examples: ['Slack answered 404: no_service.'],
        }),
      ),
      failed_at: timeOrNull,
      created_at: time,
      updated_at: time,
    },
    { additionalProperties: false },
  )
}

export type ProviderRecord = Record<string, unknown>

const ProviderRecord = Type.Unsafe<ProviderRecord>(Type.Union(providerTypes.map(recordOf)))

export const ProviderAnswer = one(ProviderRecord)
export const ProviderList = listOf(
  ProviderRecord,
  Type.Object({ total: Type.Integer({ examples: [1] }) }, { additionalProperties: false }),
)

export const TestAnswer = one(
  Type.Object(
    {
      success: Type.Literal(true),
      provider_id: Type.Integer({ examples: [7] }),
      message: Type.String({ examples: ['Slack took the message: ok'] }),
    },
    { additionalProperties: false },
  ),
)
