import { itemResponse } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_EMAIL_LENGTH, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../shared/limits.ts'

const token = Type.String({ minLength: 1, maxLength: 200, description: 'The last part of the link' })
const email = Type.String({ format: 'email', maxLength: MAX_EMAIL_LENGTH, examples: ['ada@example.com'] })

export const RequestPasswordReset = Type.Object({ email }, { additionalProperties: false })

export const ConfirmPasswordReset = Type.Object(
  {
    token,
    new_password: Type.String({
      minLength: MIN_PASSWORD_LENGTH,
      maxLength: MAX_PASSWORD_LENGTH,
      format: 'password',
      examples: ['correct horse battery'],
    }),
  },
  { additionalProperties: false },
)

export const ChangeEmail = Type.Object(
  {
    email,
    current_password: Type.String({ maxLength: 1_000, format: 'password', examples: ['correct horse battery'] }),
  },
  { additionalProperties: false },
)

export const ConfirmEmail = Type.Object({ token }, { additionalProperties: false })

/** The same for every address. */
export const RequestedResponse = itemResponse(
  Type.Object({ requested: Type.Literal(true) }, { additionalProperties: false }),
)

export const EmailConfirmedResponse = itemResponse(
  Type.Object(
    { confirmed: Type.Literal(true), email: Type.String({ examples: ['ada@example.com'] }) },
    { additionalProperties: false },
  ),
)
