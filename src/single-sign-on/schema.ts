import type { Static } from 'typebox'
import { itemResponse, nullable, stringEnumOrNull, timestamp, timestampOrNull } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { proofOrFreshSession } from '../sign-in/schema.ts'

export const SignInMethodsResponse = itemResponse(
  Type.Object(
    {
      password: Type.Boolean({ description: 'Whether people can sign in with a password' }),
      passkeys: Type.Boolean({ description: 'Whether people can sign in with a passkey' }),
      single_sign_on: nullable(
        Type.Object(
          { label: Type.String({ description: 'The text of the button', examples: ['Single sign-on'] }) },
          { additionalProperties: false },
        ),
      ),
    },
    { additionalProperties: false },
  ),
)

const IdentityRecord = Type.Object(
  {
    issuer: Type.String({ examples: ['https://id.example.com/realms/main'] }),
    email: nullable(
      Type.String({ description: 'The address at the identity provider', examples: ['ada@example.com'] }),
    ),
    created_at: timestamp,
    last_used_at: timestampOrNull,
  },
  { additionalProperties: false, description: 'null if no account is linked' },
)
export type IdentityRecord = Static<typeof IdentityRecord>

export const IdentityResponse = itemResponse(nullable(IdentityRecord))

export const LinkIdentity = Type.Object(
  {
    return_to: Type.Optional(
      Type.String({ maxLength: 500, description: 'The path of the page to return to', default: '/account' }),
    ),
    ...proofOrFreshSession,
  },
  { additionalProperties: false },
)

export const LinkResponse = itemResponse(
  Type.Object(
    { url: Type.String({ description: 'The page of the identity provider to open in the same browser' }) },
    { additionalProperties: false },
  ),
)

export const IdentityDeletedResponse = Type.Object(
  { object: Type.Literal('identity'), deleted: Type.Literal(true) },
  { additionalProperties: false },
)

const text = (maxLength: number, options: object) => Type.Optional(Type.String({ maxLength, ...options }))

export const TestSingleSignOn = Type.Object(
  {
    issuer: text(500, {
      description: "The provider's URL, exactly as the provider spells it",
      examples: ['https://id.example.com/realms/main'],
    }),
    client_id: text(500, { examples: ['belfry'] }),
    client_secret: text(2_000, {
      format: 'password',
      description: 'Without it, the saved secret stays in use if the issuer and the client ID stay the same',
      examples: ['a long secret of the client'],
    }),
  },
  { additionalProperties: false },
)
export type TestSingleSignOn = Static<typeof TestSingleSignOn>

export const UpdateSingleSignOn = Type.Object(
  {
    ...TestSingleSignOn.properties,
    issuer: Type.String({ minLength: 1, maxLength: 500, examples: ['https://id.example.com/realms/main'] }),
    client_id: Type.String({ minLength: 1, maxLength: 500, examples: ['belfry'] }),
    scopes: text(500, { description: 'Separated by spaces', default: 'openid email profile' }),
    label: text(100, { description: 'The text of the button on the sign-in page', default: 'Single sign-on' }),
    role_claim: text(200, { description: 'The claim with groups or roles. Empty: none', examples: ['groups'] }),
    role_map: text(5_000, {
      description: '`claim value=team id:role`, separated by commas',
      examples: ['belfry-admins=1:admin,staff=1:viewer'],
    }),
    create_users: Type.Optional(Type.Boolean({ default: false })),
    only: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether single sign-on is the only way to sign in' }),
    ),
    ...proofOrFreshSession,
  },
  { additionalProperties: false },
)
export type UpdateSingleSignOn = Static<typeof UpdateSingleSignOn>

const SingleSignOnTest = Type.Object(
  {
    redirect_url: nullable(
      Type.String({
        description: 'The redirect address to enter at the provider. null without a public URL',
        examples: ['https://stats.example.com/sign-in/single-sign-on/callback'],
      }),
    ),
    problem: nullable(Type.String({ description: 'What is wrong, in words. null if nothing was found' })),
    issuer: nullable(Type.String({ description: 'What the provider calls itself. null if none was found' })),
    client: stringEnumOrNull(['accepted', 'rejected', 'unknown'], {
      description: 'Whether the provider accepts the client. Some providers do not say',
      examples: ['accepted'],
    }),
    signs_out: nullable(Type.Boolean({ description: 'Whether signing out here also signs out at the provider' })),
    ends_sessions: nullable(
      Type.Boolean({ description: 'Whether the provider can end sessions here when somebody signs out there' }),
    ),
  },
  { additionalProperties: false },
)
export type SingleSignOnTest = Static<typeof SingleSignOnTest>

export const SingleSignOnTestResponse = itemResponse(SingleSignOnTest)
