import type { Static } from 'typebox'
import { itemResponse, timestamp, timestampOrNull } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_EMAIL_LENGTH, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../shared/limits.ts'

const email = Type.String({ format: 'email', maxLength: MAX_EMAIL_LENGTH, examples: ['ada@example.com'] })

const newPassword = Type.String({
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: MAX_PASSWORD_LENGTH,
  format: 'password',
  examples: ['correct horse battery'],
})

/** A password to verify. It has no minimum length, so that the response to a wrong password is always "incorrect". */
export const enteredPassword = Type.String({
  maxLength: 1_000,
  format: 'password',
  examples: ['correct horse battery'],
})

export const UserRecord = Type.Object(
  { id: Type.Integer(), email: Type.String(), is_admin: Type.Boolean(), created_at: timestamp },
  { additionalProperties: false },
)
export type UserRecord = Static<typeof UserRecord>

export const UserResponse = itemResponse(UserRecord)

const groupAlerts = Type.Boolean({
  description: 'Whether the team combines alerts about several monitors within a minute into one message per provider',
  examples: [true],
})

const AccountRecord = Type.Object(
  {
    ...UserRecord.properties,
    group_alerts: groupAlerts,
    email_confirmed_at: {
      ...timestampOrNull,
      description:
        'When a link in an email, the identity provider or the proxy proved that the address is yours; null if nothing has',
    } as typeof timestampOrNull,
  },
  { additionalProperties: false },
)
export type AccountRecord = Static<typeof AccountRecord>

export const AccountResponse = itemResponse(AccountRecord)

export const UpdateAccount = Type.Object({ group_alerts: Type.Optional(groupAlerts) }, { additionalProperties: false })

export const CreateUser = Type.Object(
  { email, password: newPassword, is_admin: Type.Optional(Type.Boolean({ default: false })) },
  { additionalProperties: false },
)

export const SignIn = Type.Object(
  { email: Type.String({ maxLength: MAX_EMAIL_LENGTH, examples: ['ada@example.com'] }), password: enteredPassword },
  { additionalProperties: false },
)

export const SessionResponse = itemResponse(
  Type.Object(
    {
      user: Type.Object(
        { id: Type.Integer(), email: Type.String(), is_admin: Type.Boolean() },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  ),
)

export function toSessionResponse({ id, email, is_admin }: { id: number; email: string; is_admin: boolean }) {
  return { data: { user: { id, email, is_admin } } }
}

export const SignedOutResponse = itemResponse(
  Type.Object(
    {
      signed_out: Type.Literal(true),
      logout_url: Type.Optional(Type.String({ description: 'The page on which to sign out of the identity provider' })),
    },
    { additionalProperties: false },
  ),
)

export const ChangePassword = Type.Object(
  { current_password: enteredPassword, new_password: newPassword },
  { additionalProperties: false },
)

export const PasswordChangedResponse = itemResponse(
  Type.Object({ changed: Type.Literal(true) }, { additionalProperties: false }),
)

export const SetupRequest = Type.Object(
  {
    token: Type.String({ maxLength: 200, description: 'From the setup link that the server prints' }),
    email,
    password: newPassword,
  },
  { additionalProperties: false },
)
