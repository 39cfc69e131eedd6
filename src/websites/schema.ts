import { type Static, Type } from 'typebox'
import { itemResponse, nullable, timestamp } from '../lib/schemas.ts'
import { MAX_PASSWORD_LENGTH } from '../shared/limits.ts'
import { MAX_DOMAIN_INPUT_LENGTH, PRIVACY } from '../shared/websites.ts'

const privacies = Object.values(PRIVACY)
const switches = [0, 1] as const

export const defaults = { privacy: PRIVACY.public, email: 0, exclude_bots: 1, favorite: false } as const

/** A whole number out of a closed set. */
function oneOf<T extends number>(
  allowed: readonly T[],
  options: { description?: string; default?: T; examples?: T[] },
) {
  return Type.Unsafe<T>(Type.Integer({ enum: [...allowed], ...options }))
}

const privacyText = '0 = Public, 1 = Private, 2 = Password'
const emailText = 'Weekly report by e-mail: 0 = Disabled, 1 = Enabled'
const botsText = 'Exclude common bots from tracking: 0 = Disabled, 1 = Enabled'
const paramsText =
  'URL query parameters to exclude, one per line; may end in `*`; a line `*` or `&` means every parameter'
const addressesText = 'IP addresses and CIDR ranges to exclude, one per line'

const lines = (description: string, example: string) => nullable(Type.String({ description, examples: [example] }))

const excludeParams = lines(paramsText, 'utm_source\nutm_*')
const excludeIps = lines(addressesText, '203.0.113.7\n2001:db8::/32')
const timeZone = Type.String({ description: 'Its IANA name', maxLength: 100, examples: ['Europe/Berlin'] })

export const WebsiteRecord = Type.Object(
  {
    id: Type.Integer({ examples: [12] }),
    domain: Type.String({ examples: ['example.com'] }),
    privacy: oneOf(privacies, { description: privacyText, examples: [0] }),
    has_password: Type.Boolean({
      description: 'Whether a password is stored; it is never returned',
      examples: [false],
    }),
    email: oneOf(switches, { description: emailText, examples: [0] }),
    exclude_bots: oneOf(switches, { description: botsText, examples: [1] }),
    exclude_params: excludeParams,
    exclude_ips: excludeIps,
    favorite: Type.Boolean({ examples: [false] }),
    time_zone: timeZone,
    created_at: timestamp,
    updated_at: timestamp,
  },
  { additionalProperties: false },
)
export type WebsiteRecord = Static<typeof WebsiteRecord>

export const WebsiteAnswer = itemResponse(WebsiteRecord)

/** A new one comes with what has to be put into its pages. */
export const CreatedWebsiteAnswer = Type.Object(
  {
    data: WebsiteRecord,
    meta: Type.Object(
      {
        snippet: Type.String({
          description: 'Put this into the head of every page, and visitors are counted',
          examples: ['<script defer src="https://stats.example.com/b.js" data-domain="example.com"></script>'],
        }),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)

const settings = {
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_PASSWORD_LENGTH,
      format: 'password',
      description: 'Takes effect only when privacy is 2. Stored hashed and never returned',
      examples: ['open sesame'],
    }),
  ),
  exclude_params: Type.Optional(excludeParams),
  exclude_ips: Type.Optional(excludeIps),
  time_zone: Type.Optional(timeZone),
}

export const CreateWebsite = Type.Object(
  {
    domain: Type.String({
      maxLength: MAX_DOMAIN_INPUT_LENGTH,
      description: 'A host or a URL; kept as the host alone, without `www.`',
      examples: ['example.com'],
    }),
    privacy: Type.Optional(oneOf(privacies, { description: privacyText, default: defaults.privacy })),
    email: Type.Optional(oneOf(switches, { description: emailText, default: defaults.email })),
    exclude_bots: Type.Optional(oneOf(switches, { description: botsText, default: defaults.exclude_bots })),
    favorite: Type.Optional(Type.Boolean({ default: defaults.favorite })),
    ...settings,
  },
  { additionalProperties: false },
)
export type CreateWebsite = Static<typeof CreateWebsite>

export const UpdateWebsite = Type.Object(
  {
    privacy: Type.Optional(oneOf(privacies, { description: privacyText, examples: [1] })),
    email: Type.Optional(oneOf(switches, { description: emailText, examples: [1] })),
    exclude_bots: Type.Optional(oneOf(switches, { description: botsText, examples: [1] })),
    favorite: Type.Optional(Type.Boolean({ examples: [true] })),
    ...settings,
  },
  { additionalProperties: false },
)
export type UpdateWebsite = Static<typeof UpdateWebsite>

export const sortKeys = ['id', 'domain'] as const
export type SortKey = (typeof sortKeys)[number]
export const directions = ['desc', 'asc'] as const
export type Direction = (typeof directions)[number]

export const WebsiteQuery = Type.Object({
  search: Type.Optional(Type.String({ description: 'Any part of the domain; upper and lower case are alike' })),
  search_by: Type.Optional(Type.Unsafe<'domain'>(Type.String({ enum: ['domain'], default: 'domain' }))),
  favorite: Type.Optional(Type.Boolean({ description: 'Only favourites, or only the others' })),
  sort_by: Type.Optional(
    Type.Unsafe<SortKey>(
      Type.String({ enum: [...sortKeys], default: 'id', description: 'id (date created) or domain' }),
    ),
  ),
  sort: Type.Optional(Type.Unsafe<Direction>(Type.String({ enum: [...directions], default: 'desc' }))),
})
