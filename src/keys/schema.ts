import type { Static } from 'typebox'
import { itemResponse, listResponse, nullable, timestamp, timestampOrNull } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_KEY_ADDRESSES, MAX_KEY_NAME_LENGTH } from '../shared/limits.ts'
import { type Scope, scopes } from '../shared/scopes.ts'

const scope = Type.Unsafe<Scope>(Type.String({ enum: [...scopes] }))

const keyFields = {
  id: Type.Integer({ examples: [12] }),
  name: Type.String({ examples: ['deploy script'] }),
  scopes: Type.Array(scope, { examples: [['monitors:read', 'monitors:write']] }),
  prefix: Type.String({ description: 'The first characters of the key', examples: ['bf_Zx3k'] }),
  created_by_key: nullable(
    Type.Integer({ description: 'ID of the key that created this one; null if a user created it' }),
  ),
  created_at: timestamp,
  last_used_at: timestampOrNull,
  expires_at: Type.Optional({ ...timestamp, description: 'When the key stops working; missing if it never does' }),
  allowed_ips: Type.Optional(
    Type.Array(Type.String(), {
      description: 'The IP addresses and networks from which the key can be used; missing if from everywhere',
      examples: [['203.0.113.0/24']],
    }),
  ),
  last_used_ip: Type.Optional(Type.String({ description: 'From which IP address the key was used last' })),
  user_email: Type.Optional(
    Type.String({ description: 'Whose key it is, if it belongs to another member. Owners and admins see all keys.' }),
  ),
}

export const KeyRecord = Type.Object(keyFields, { additionalProperties: false })
export type KeyRecord = Static<typeof KeyRecord>

export const KeyResponse = itemResponse(KeyRecord)
export const KeyList = listResponse(KeyRecord, Type.Object({ total: Type.Integer() }, { additionalProperties: false }))

export const CreatedKeyResponse = itemResponse(
  Type.Object(
    { ...keyFields, key: Type.String({ description: 'The key itself; not shown again' }) },
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
    expires_at: Type.Optional({
      ...timestamp,
      description:
        'When the key stops working. Default: never. For a key created by another API key: the expiry of that key, which is also the latest allowed time',
    }),
    allowed_ips: Type.Optional(
      Type.Array(Type.String({ maxLength: 50 }), {
        maxItems: MAX_KEY_ADDRESSES,
        description:
          'IP addresses and networks (CIDR) from which the key can be used. Default: everywhere. For a key created by another API key: the ranges of that key, and each range must be within one of them',
        examples: [['203.0.113.0/24']],
      }),
    ),
  },
  { additionalProperties: false },
)

export const descendantsChoices = ['revoke', 'keep'] as const
export type DescendantsChoice = (typeof descendantsChoices)[number]

export const DeleteKeyQuery = Type.Object({
  descendants: Type.Optional(
    Type.Unsafe<DescendantsChoice>(
      Type.String({
        enum: [...descendantsChoices],
        description:
          'What happens to keys that this key created. Default: `revoke` for a session, `keep` for an API key',
      }),
    ),
  ),
})
