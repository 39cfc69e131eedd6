import type { Static } from 'typebox'
import { itemResponse, nullable, timestamp } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_PASSWORD_LENGTH } from '../shared/limits.ts'
import {
  DEFAULT_SILENCE_ALARMS_A_YEAR,
  MAX_DOMAIN_INPUT_LENGTH,
  MAX_QUIET_DAYS,
  MAX_SILENCE_ALARMS_A_YEAR,
  MIN_SILENCE_ALARMS_A_YEAR,
  PRIVACY,
} from '../shared/websites.ts'
import { TagQuery, TagsInput, TagsRecord } from '../tags/schema.ts'

const privacies = Object.values(PRIVACY)
const booleanNumbers = [0, 1] as const

export const websiteDefaults = { privacy: PRIVACY.public, email: 0, exclude_bots: 1, favorite: false } as const

function integerEnum<T extends number>(
  allowedValues: readonly T[],
  options: { description?: string; default?: T; examples?: T[] },
) {
  return Type.Unsafe<T>(Type.Integer({ enum: [...allowedValues], ...options }))
}

const privacyDescription = '0 = Public, 1 = Private, 2 = Password'
const emailDescription = 'Weekly email report: 0 = Disabled, 1 = Enabled'
const botsDescription = 'Exclude bots from the statistics: 0 = Disabled, 1 = Enabled'
const paramsDescription =
  'URL parameters to ignore, one name per line. `*` at the end matches any ending; a line `*` or `&` matches all parameters. Parameters such as `utm_source`, `ref` and `gclid` are never part of a page'
const ipsDescription = 'IP addresses and CIDR ranges whose visits are not counted, one per line'

const textLines = (description: string, example: string) => nullable(Type.String({ description, examples: [example] }))

const excludeParams = textLines(paramsDescription, 'session\nfilter*')
const excludeIps = textLines(ipsDescription, '203.0.113.7\n2001:db8::/32')
const timeZone = Type.String({ description: 'IANA time zone name', maxLength: 100, examples: ['Europe/Berlin'] })

export const silenceAlarmsAYear = Type.Number({
  minimum: MIN_SILENCE_ALARMS_A_YEAR,
  maximum: MAX_SILENCE_ALARMS_A_YEAR,
  description:
    'How many false alarms a year about stopped visits you accept for all websites of your team together. It is a setting of the team, so it is the same for all websites. Rounded to hundredths',
  examples: [DEFAULT_SILENCE_ALARMS_A_YEAR],
})

const quietDaysDescription = `Days on which you expect few visits, as YYYY-MM-DD in the time zone of the website. At most ${MAX_QUIET_DAYS}. Belfry sends no traffic alerts on quiet days, estimates no missed visits, and doesn't learn from them what is usual`
const quietDaysExample = ['2026-12-24', '2026-12-31']

/** These limits are larger than those of `parseQuietDays`, which first trims the dates and drops duplicates. */
export const quietDays = Type.Array(Type.String({ maxLength: 100, examples: ['2026-12-24'] }), {
  maxItems: 10 * MAX_QUIET_DAYS,
  description: quietDaysDescription,
  examples: [quietDaysExample],
})

export const holidays = nullable(
  Type.String({
    maxLength: 100,
    description: 'ISO 3166-1 code of a country whose nationwide public holidays are quiet days, too; null for none',
    examples: ['DE'],
  }),
)

const watchFields = {
  watch_traffic: Type.Boolean({
    description:
      'Whether an incident opens when no visits arrive for longer than is plausible. The website then has a monitor of type `traffic`. Alerts begin when there are two weeks of visits',
    examples: [false],
  }),
  watch_spikes: Type.Boolean({
    description: 'Whether an alert is sent when unusually many visitors arrive, at most once a day',
    examples: [false],
  }),
  silence_alarms_a_year: silenceAlarmsAYear,
}

export const WebsiteRecord = Type.Object(
  {
    id: Type.Integer({ examples: [12] }),
    domain: Type.String({ examples: ['example.com'] }),
    privacy: integerEnum(privacies, { description: privacyDescription, examples: [0] }),
    has_password: Type.Boolean({
      description: 'Whether a password is stored; it is never returned',
      examples: [false],
    }),
    email: integerEnum(booleanNumbers, { description: emailDescription, examples: [0] }),
    exclude_bots: integerEnum(booleanNumbers, { description: botsDescription, examples: [1] }),
    exclude_params: excludeParams,
    exclude_ips: excludeIps,
    favorite: Type.Boolean({ examples: [false] }),
    time_zone: timeZone,
    tags: TagsRecord,
    ...watchFields,
    quiet_days: Type.Array(Type.String({ format: 'date', examples: ['2026-12-24'] }), {
      description: quietDaysDescription,
      examples: [quietDaysExample],
    }),
    holidays,
    is_sample: Type.Boolean({
      description: 'Whether the traffic is generated sample data. A sample website accepts no events',
      examples: [false],
    }),
    created_at: timestamp,
    updated_at: timestamp,
  },
  { additionalProperties: false },
)
export type WebsiteRecord = Static<typeof WebsiteRecord>

export const WebsiteResponse = itemResponse(WebsiteRecord)

export const ShownWebsiteResponse = Type.Object(
  {
    data: WebsiteRecord,
    meta: Type.Object(
      {
        registrable_domain: nullable(
          Type.String({
            description:
              'The part of `domain` that is registered, which a monitor of type `domain` checks; null if there is none',
            examples: ['example.com'],
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)

export const CreatedWebsiteResponse = Type.Object(
  {
    data: WebsiteRecord,
    meta: Type.Object(
      {
        snippet: Type.String({
          description: 'Add this to the <head> of every page to count its visitors',
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
      description: 'Only used when `privacy` is 2. Stored as a hash and never returned',
      examples: ['open sesame'],
    }),
  ),
  exclude_params: Type.Optional(excludeParams),
  exclude_ips: Type.Optional(excludeIps),
  time_zone: Type.Optional(timeZone),
  tags: Type.Optional(TagsInput),
  watch_traffic: Type.Optional(watchFields.watch_traffic),
  watch_spikes: Type.Optional(watchFields.watch_spikes),
  silence_alarms_a_year: Type.Optional(watchFields.silence_alarms_a_year),
  quiet_days: Type.Optional(quietDays),
  holidays: Type.Optional(holidays),
}

export const CreateWebsite = Type.Object(
  {
    domain: Type.String({
      maxLength: MAX_DOMAIN_INPUT_LENGTH,
      description: 'A host or a URL. Only the host is stored, without `www.`',
      examples: ['example.com'],
    }),
    privacy: Type.Optional(
      integerEnum(privacies, { description: privacyDescription, default: websiteDefaults.privacy }),
    ),
    email: Type.Optional(
      integerEnum(booleanNumbers, { description: emailDescription, default: websiteDefaults.email }),
    ),
    exclude_bots: Type.Optional(
      integerEnum(booleanNumbers, { description: botsDescription, default: websiteDefaults.exclude_bots }),
    ),
    favorite: Type.Optional(Type.Boolean({ default: websiteDefaults.favorite })),
    ...settings,
  },
  { additionalProperties: false },
)
export type CreateWebsite = Static<typeof CreateWebsite>

export const UpdateWebsite = Type.Object(
  {
    privacy: Type.Optional(integerEnum(privacies, { description: privacyDescription, examples: [1] })),
    email: Type.Optional(integerEnum(booleanNumbers, { description: emailDescription, examples: [1] })),
    exclude_bots: Type.Optional(integerEnum(booleanNumbers, { description: botsDescription, examples: [1] })),
    favorite: Type.Optional(Type.Boolean({ examples: [true] })),
    ...settings,
  },
  { additionalProperties: false },
)
export type UpdateWebsite = Static<typeof UpdateWebsite>

export const websiteSortKeys = ['id', 'domain'] as const
export type WebsiteSortKey = (typeof websiteSortKeys)[number]
export const sortDirections = ['desc', 'asc'] as const
export type SortDirection = (typeof sortDirections)[number]

export const WebsiteQuery = Type.Object({
  search: Type.Optional(Type.String({ description: 'Part of the domain, ignoring case' })),
  search_by: Type.Optional(Type.Unsafe<'domain'>(Type.String({ enum: ['domain'], default: 'domain' }))),
  favorite: Type.Optional(
    Type.Boolean({ description: 'Only favorites (true), or only websites that are not favorites (false)' }),
  ),
  tag: Type.Optional(TagQuery),
  sort_by: Type.Optional(
    Type.Unsafe<WebsiteSortKey>(
      Type.String({ enum: [...websiteSortKeys], default: 'id', description: '`id` (order of creation) or `domain`' }),
    ),
  ),
  sort: Type.Optional(Type.Unsafe<SortDirection>(Type.String({ enum: [...sortDirections], default: 'desc' }))),
})
