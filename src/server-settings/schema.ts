import type { Static } from 'typebox'
import { itemResponse, nullable, stringEnum, stringEnumOrNull, timestampOrNull } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { goLiveKeys, mailSecurities } from '../shared/server-settings.ts'
import { proofOrFreshSession } from '../sign-in/schema.ts'

const MAX_URL_LENGTH = 500
const MAX_LOGIN_LENGTH = 500

const source = stringEnumOrNull(['environment', 'page'], {
  description:
    'Where the setting comes from: `environment` for the environment or the configuration file, which cannot be changed through the API, `page` for the server settings that an admin saved. null if it is not set',
  examples: ['page'],
})

const ServerSettingsRecord = Type.Object(
  {
    url: Type.Object(
      {
        source,
        value: nullable(Type.String({ description: 'The public URL', examples: ['https://stats.example.com'] })),
      },
      { additionalProperties: false },
    ),
    mail: Type.Object(
      {
        source,
        host: nullable(Type.String({ examples: ['mail.example.com'] })),
        port: nullable(Type.Integer({ examples: [587] })),
        security: stringEnumOrNull(mailSecurities, {
          description: 'null if the environment sets the mail server',
          examples: ['starttls'],
        }),
        username: nullable(
          Type.String({ description: 'null if there is none, or if the environment sets it', examples: ['belfry'] }),
        ),
        has_password: Type.Boolean({ description: 'Passwords are never returned', examples: [true] }),
        from: nullable(Type.String({ examples: ['Belfry <belfry@example.com>'] })),
        tested_at: timestampOrNull,
        test_error: nullable(
          Type.String({
            description:
              'Why the last test email failed. null if it was accepted, or if none was sent with these settings',
            examples: ['The mail server could not be reached: connection refused.'],
          }),
        ),
      },
      { additionalProperties: false },
    ),
    single_sign_on: Type.Object(
      {
        source,
        redirect_url: nullable(
          Type.String({
            description: 'The redirect address to enter at the identity provider. null without a public URL',
            examples: ['https://stats.example.com/sign-in/single-sign-on/callback'],
          }),
        ),
        issuer: nullable(Type.String({ examples: ['https://id.example.com/realms/main'] })),
        client_id: nullable(Type.String({ examples: ['belfry'] })),
        has_client_secret: Type.Boolean({ description: 'Secrets are never returned', examples: [true] }),
        scopes: nullable(Type.String({ examples: ['openid email profile'] })),
        label: nullable(Type.String({ examples: ['Single sign-on'] })),
        role_claim: nullable(Type.String({ examples: ['groups'] })),
        role_map: nullable(Type.String({ examples: ['belfry-admins=1:admin,staff=1:viewer'] })),
        create_users: Type.Boolean(),
        only: Type.Boolean({ description: 'Whether single sign-on is the only way to sign in' }),
      },
      { additionalProperties: false },
    ),
    backups: Type.Object(
      {
        last_backup_at: timestampOrNull,
        made_elsewhere: Type.Boolean({
          description: 'Whether an admin has said that backups are made without `belfry backup`',
          examples: [false],
        }),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)
export type ServerSettingsRecord = Static<typeof ServerSettingsRecord>

export const ServerSettingsResponse = itemResponse(ServerSettingsRecord)

export const UpdatePublicUrl = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: MAX_URL_LENGTH,
      description: 'The address at which people reach this server, with the path prefix of the proxy if there is one',
      examples: ['https://stats.example.com'],
    }),
    ...proofOrFreshSession,
  },
  { additionalProperties: false },
)

export const UpdateMailServer = Type.Object(
  {
    ...proofOrFreshSession,
    host: Type.String({ minLength: 1, maxLength: 253, examples: ['mail.example.com'] }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, examples: [587] }),
    security: stringEnum(mailSecurities, {
      description:
        '`starttls` (usually port 587), `tls` (usually port 465), or `none` for a mail server on this machine',
      examples: ['starttls'],
    }),
    username: Type.Optional(
      Type.String({
        maxLength: MAX_LOGIN_LENGTH,
        description: 'Empty if the mail server needs no login',
        examples: ['belfry'],
      }),
    ),
    password: Type.Optional(
      Type.String({
        maxLength: MAX_LOGIN_LENGTH,
        format: 'password',
        description: 'Without it, the saved password stays in use if the host and the user name stay the same',
        examples: ['correct horse battery'],
      }),
    ),
    from: Type.String({
      minLength: 1,
      maxLength: MAX_URL_LENGTH,
      description: 'The sender of emails',
      examples: ['Belfry <belfry@example.com>'],
    }),
  },
  { additionalProperties: false },
)
export type UpdateMailServer = Static<typeof UpdateMailServer>

export const UpdateBackups = Type.Object(
  {
    made_elsewhere: Type.Boolean({
      description: 'Whether backups are made without `belfry backup`, for example by the provider of your database',
      examples: [true],
    }),
  },
  { additionalProperties: false },
)

export function settingDeletedResponse<T extends string>(object: T) {
  return Type.Object({ object: Type.Literal(object), deleted: Type.Literal(true) }, { additionalProperties: false })
}

const Instruction = Type.Object(
  {
    where: Type.String({ description: 'Where the lines belong', examples: ['In /etc/belfry/belfry.env:'] }),
    lines: Type.Array(Type.String(), { examples: [['BELFRY_URL=https://stats.example.com']] }),
    next: nullable(
      Type.String({ description: 'What to do next', examples: ['Then run: sudo systemctl restart belfry'] }),
    ),
  },
  { additionalProperties: false, description: 'null if there is nothing to set' },
)

const GoLiveItemRecord = Type.Object(
  {
    key: stringEnum(goLiveKeys, { examples: ['url'] }),
    title: Type.String({ examples: ['Public URL'] }),
    is_done: Type.Boolean({ examples: [false] }),
    state: Type.String({ description: 'The current state', examples: ['The public URL is not set.'] }),
    why: Type.String({ description: 'What does not work without it' }),
    instruction: nullable(Instruction),
    docs: Type.String({ description: 'The page of the documentation', examples: ['docs/configure.md'] }),
  },
  { additionalProperties: false },
)
export type GoLiveItemRecord = Static<typeof GoLiveItemRecord>

export const GoLiveResponse = Type.Object({ data: Type.Array(GoLiveItemRecord) }, { additionalProperties: false })

export const PrivateTargetQuery = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      maxLength: 253,
      description: 'A host name or an IP address',
      examples: ['nas.lan'],
    }),
  },
  { additionalProperties: false },
)

const PrivateTargetRecord = Type.Object({ instruction: nullable(Instruction) }, { additionalProperties: false })
export type PrivateTargetRecord = Static<typeof PrivateTargetRecord>

export const PrivateTargetResponse = itemResponse(PrivateTargetRecord)
