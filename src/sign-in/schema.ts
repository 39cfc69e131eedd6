/** Signing in, second factors and sessions. */
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Static } from 'typebox'
import { enteredPassword } from '../accounts/schema.ts'
import { itemResponse, listResponse, nullable, stringEnum, timestamp, timestampOrNull } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import {
  FRESH_SESSION_MINUTES,
  MAX_PASSKEY_NAME_LENGTH,
  type SecondFactorMethod,
  type SessionMethod,
  secondFactorMethods,
  sessionMethods,
} from '../shared/sign-in.ts'

const token = Type.String({ minLength: 1, maxLength: 200 })
/** Recovery codes can be entered with spaces and hyphens. */
const code = Type.String({ minLength: 1, maxLength: 40, examples: ['123456'] })

export const SecondFactorResponse = itemResponse(
  Type.Object(
    {
      second_factor: Type.Object(
        {
          token: Type.String({ description: 'For the request that finishes the sign-in' }),
          methods: Type.Array(stringEnum<SecondFactorMethod>(secondFactorMethods), {
            description: 'What the account has. `passkey` is missing where browsers do not support passkeys',
          }),
          expires_at: timestamp,
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  ),
)

export const FinishSignIn = Type.Object(
  { token, code: { ...code, description: 'A code of the authenticator app, or a recovery code' } as typeof code },
  { additionalProperties: false },
)

const base64url = (maxLength: number) => Type.String({ pattern: '^[A-Za-z0-9_-]*$', maxLength })
const credentialFields = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: Type.Literal('public-key'),
}

/** What browsers add in the future must not break a sign-in. */
const openObject = { additionalProperties: true }

const RegistrationCredential = Type.Unsafe<RegistrationResponseJSON>(
  Type.Object(
    {
      ...credentialFields,
      response: Type.Object(
        {
          clientDataJSON: base64url(10_000),
          attestationObject: base64url(40_000),
          transports: Type.Optional(Type.Array(Type.String({ maxLength: 40 }), { maxItems: 10 })),
        },
        openObject,
      ),
    },
    { ...openObject, description: 'What `navigator.credentials.create()` returned, as JSON (`toJSON()`)' },
  ),
)

const AuthenticationCredential = Type.Unsafe<AuthenticationResponseJSON>(
  Type.Object(
    {
      ...credentialFields,
      response: Type.Object(
        {
          clientDataJSON: base64url(10_000),
          authenticatorData: base64url(10_000),
          signature: base64url(10_000),
          userHandle: Type.Optional(nullable(base64url(200))),
        },
        openObject,
      ),
    },
    { ...openObject, description: 'What `navigator.credentials.get()` returned, as JSON (`toJSON()`)' },
  ),
)

const optionsResponse = <T>(description: string) =>
  itemResponse(
    Type.Object(
      { attempt: Type.String(), options: Type.Unsafe<T>({ type: 'object', additionalProperties: true, description }) },
      { additionalProperties: false },
    ),
  )

export const BeginPasskeySignIn = Type.Object({ token: Type.Optional(token) }, { additionalProperties: false })
export const PasskeySignInOptions = optionsResponse<PublicKeyCredentialRequestOptionsJSON>(
  'For `navigator.credentials.get()`',
)
export const PasskeySignIn = Type.Object(
  { attempt: token, credential: AuthenticationCredential },
  { additionalProperties: false },
)

const proof = {
  current_password: Type.Optional({
    ...enteredPassword,
    description: `Not needed by accounts without a password, in a session of at most ${FRESH_SESSION_MINUTES} minutes`,
  } as typeof enteredPassword),
}
/** Also for settings of the server with which somebody could take over accounts. */
export const proofOrFreshSession = {
  current_password: Type.Optional({
    ...enteredPassword,
    description: `Not needed in a session of at most ${FRESH_SESSION_MINUTES} minutes`,
  } as typeof enteredPassword),
}

export const Proof = Type.Object(proof, { additionalProperties: false })
export const ProofOrFreshSession = Type.Object(proofOrFreshSession, { additionalProperties: false })

export const TotpSecretResponse = itemResponse(
  Type.Object(
    {
      secret: Type.String({ description: 'In Base32, to type into an authenticator app' }),
      uri: Type.String({ description: '`otpauth://…`, to show as a QR code' }),
    },
    { additionalProperties: false },
  ),
)

export const ConfirmTotp = Type.Object({ code }, { additionalProperties: false })

export const RecoveryCodesResponse = itemResponse(
  Type.Object(
    { recovery_codes: Type.Array(Type.String({ examples: ['4h7dk-q0xwz'] }), { minItems: 10, maxItems: 10 }) },
    { additionalProperties: false },
  ),
)

export const DisabledResponse = itemResponse(
  Type.Object({ disabled: Type.Literal(true) }, { additionalProperties: false }),
)

export const PasskeyRecord = Type.Object(
  {
    id: Type.Integer({ examples: [4] }),
    name: Type.String({ examples: ['Phone'] }),
    created_at: timestamp,
    last_used_at: timestampOrNull,
    is_backed_up: Type.Boolean({
      description: 'Whether the passkey is synchronized, so that losing a device is no harm',
    }),
  },
  { additionalProperties: false },
)
export type PasskeyRecord = Static<typeof PasskeyRecord>

export const PasskeyResponse = itemResponse(PasskeyRecord)

export const CreatedPasskeyResponse = itemResponse(
  Type.Object(
    {
      ...PasskeyRecord.properties,
      recovery_codes: nullable(
        Type.Array(Type.String(), { description: 'If the account had none; otherwise null. They are not shown again' }),
      ),
    },
    { additionalProperties: false },
  ),
)

export const AccountSecurityResponse = itemResponse(
  Type.Object(
    {
      has_password: Type.Boolean(),
      totp_enabled: Type.Boolean({ description: 'Whether the account has an authenticator app' }),
      recovery_codes_left: Type.Integer({ examples: [10] }),
      passkeys: Type.Array(PasskeyRecord),
      email_confirmed: Type.Boolean({
        description: 'Whether a link in an email, the identity provider or the proxy has proved the address',
      }),
    },
    { additionalProperties: false },
  ),
)

const passkeyName = Type.String({
  minLength: 1,
  maxLength: MAX_PASSKEY_NAME_LENGTH,
  pattern: '\\S',
  examples: ['Phone'],
})

export const PasskeyOptions = optionsResponse<PublicKeyCredentialCreationOptionsJSON>(
  'For `navigator.credentials.create()`',
)
export const CreatePasskey = Type.Object(
  { attempt: token, credential: RegistrationCredential, name: passkeyName },
  { additionalProperties: false },
)
export const UpdatePasskey = Type.Object({ name: passkeyName }, { additionalProperties: false })

export const SessionRecord = Type.Object(
  {
    id: Type.Integer({ examples: [12] }),
    is_current: Type.Boolean({ description: 'Whether this session sent the request' }),
    method: stringEnum<SessionMethod>(sessionMethods, { description: 'How the session began' }),
    device: nullable(
      Type.String({ description: 'From the user agent; null if unknown', examples: ['Firefox on Linux'] }),
    ),
    place: nullable(Type.String({ description: 'The country of the IP address; null if unknown', examples: ['DE'] })),
    address: nullable(
      Type.String({ description: 'The IP address with which the session began', examples: ['203.0.113.7'] }),
    ),
    created_at: timestamp,
    last_seen_at: { ...timestamp, description: 'Accurate to the hour' } as typeof timestamp,
    is_strong: Type.Boolean({
      description:
        'Whether the user proved a second factor, used a passkey, or came through single sign-on or a proxy that authenticates',
    }),
  },
  { additionalProperties: false },
)
export type SessionRecord = Static<typeof SessionRecord>

export const SessionList = listResponse(
  SessionRecord,
  Type.Object({ total: Type.Integer() }, { additionalProperties: false }),
)

export const EndedSessionsResponse = itemResponse(
  Type.Object({ ended: Type.Integer({ examples: [2] }) }, { additionalProperties: false }),
)
