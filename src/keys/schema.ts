import { type Static, Type } from 'typebox'
import { listResponse, itemResponse, nullable, timestamp, timestampOrNull } from '../lib/schemas.ts'
import { MAX_KEY_NAME_LENGTH } from '../shared/limits.ts'
import { type Scope, scopes } from '../shared/scopes.ts'

const scope = Type.Unsafe<Scope>(Type.String({ enum: [...scopes] }))

const keyFields = {
  id: Type.Integer({ examples: [12] }),
  name: Type.String({ examples: ['deploy script'] }),
  scopes: Type.Array(scope, { examples: [['monitors:read', 'monitors:write']] }),
  prefix: Type.String({ description: 'How the key begins', examples: ['bf_Zx3k'] }),
  created_by_key: nullable(Type.Integer({ description: 'The key that made this one; null when a person did' })),
  created_at: timestamp,
  last_used_at: timestampOrNull,
}

export const KeyRecord = Type.Object(keyFields, { additionalProperties: false })
export type KeyRecord = Static<typeof KeyRecord>

export const KeyAnswer = itemResponse(KeyRecord)
export const KeyList = listResponse(KeyRecord, Type.Object({ total: Type.Integer() }, { additionalProperties: false }))

export const CreatedKey = itemResponse(
  Type.Object(
    { ...keyFields, key: Type.String({ description: 'The key itself: shown here and never again' }) },
    { additionalProperties: false },
  ),
)

export const CreateKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: MAX_KEY_NAME_LENGTH, examples: ['deploy script'] }),
    scopes: Type.Array(scope, {
      minItems: 1,
      uniqueItems: true,
      examples: [['monitors:read', 'monitors:write']],
    }),
  },
  { additionalProperties: false },
)

export const descendantsChoices = ['revoke', 'keep'] as const
export type Descendants = (typeof descendantsChoices)[number]

export const DeleteKeyQuery = Type.Object({
  descendants: Type.Optional(
    Type.Unsafe<Descendants>(
      Type.String({
        enum: [...descendantsChoices],
        description: 'What becomes of the keys this one made: a session revokes them by default, a key keeps them',
      }),
    ),
  ),
})
