/** Requests and responses of `/api/status-pages`. */
import type { Static } from 'typebox'
import {
  inputField,
  itemResponse,
  nullable,
  resourceId,
  stringEnum,
  timestamp,
  timestampOrNull,
} from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_PASSWORD_LENGTH } from '../shared/limits.ts'
import {
  MAX_GROUP_NAME_LENGTH,
  MAX_GROUPS,
  MAX_LABEL_LENGTH,
  MAX_PAGE_DESCRIPTION_LENGTH,
  MAX_PAGE_MONITORS,
  MAX_PAGE_TITLE_LENGTH,
  MAX_SLUG_LENGTH,
  MIN_SLUG_LENGTH,
  SLUG_PATTERN,
  statusPageThemes,
} from '../shared/status-pages.ts'
import { MAX_DOMAIN_LENGTH, PRIVACY, type Privacy } from '../shared/websites.ts'
import { DomainProofRecord } from './domains/schema.ts'

const descriptions = {
  slug: 'The last part of the URL `/status/{slug}`: lowercase letters, digits and inner hyphens. Unique on this server.',
  privacy: '0 = Public, 1 = Private, 2 = Password',
  password: 'Only used when `privacy` is 2. Stored as a hash and never returned',
  custom_domain:
    'A host such as status.example.com that points to this server. The page is shown at its root once the domain is verified. Needs the public URL of the server.',
  custom_domain_verified_at:
    'When the domain was verified. null: the record has not been found yet, so the domain does not show the page',
  accent_color:
    "For links, buttons, the top of the page and charts, for example #0a7d4f; null for Belfry's own color. If the color has too little contrast in a theme, the page uses a darker or lighter one for texts.",
  time_zone:
    'IANA name. The daily bars begin and end at midnight in this zone. The default is the time zone of the server.',
  groups: 'Groups and their monitors in the order of the page. A monitor can be on the page once.',
  label: "Shown instead of the monitor's name. The default is the name at the time of the request.",
}

/** The fields of requests have no patterns, because the validator's messages would not say what is wrong. See `settings.ts`. */
const slugInput = Type.String({
  minLength: MIN_SLUG_LENGTH,
  maxLength: MAX_SLUG_LENGTH,
  description: descriptions.slug,
  examples: ['example'],
})
const slug = Type.String({ ...slugInput, pattern: SLUG_PATTERN })
const title = Type.String({ minLength: 1, maxLength: MAX_PAGE_TITLE_LENGTH, examples: ['Example status'] })
const description = nullable(
  Type.String({ maxLength: MAX_PAGE_DESCRIPTION_LENGTH, examples: ['The state of all services of Example Ltd.'] }),
)
const privacy = Type.Unsafe<Privacy>(
  Type.Integer({ enum: Object.values(PRIVACY), description: descriptions.privacy, examples: [0] }),
)
const customDomain = nullable(
  Type.String({
    maxLength: MAX_DOMAIN_LENGTH,
    description: descriptions.custom_domain,
    examples: ['status.example.com'],
  }),
)
const theme = stringEnum(statusPageThemes, { examples: ['auto'] })
const accentColorInput = nullable(Type.String({ description: descriptions.accent_color, examples: ['#0a7d4f'] }))
const accentColor = Type.Unsafe<string | null>({ ...accentColorInput, pattern: '^#[0-9a-f]{6}$' })
const timeZone = Type.String({ maxLength: 100, description: descriptions.time_zone, examples: ['Europe/Berlin'] })
const showResponseTimes = Type.Boolean({
  description: 'Whether each monitor has a line chart of its response times in the last 24 hours',
  examples: [true],
})
const groupName = Type.String({ minLength: 1, maxLength: MAX_GROUP_NAME_LENGTH, examples: ['Website'] })
const label = Type.String({
  minLength: 1,
  maxLength: MAX_LABEL_LENGTH,
  description: descriptions.label,
  examples: ['Shop'],
})

const exampleGroups = [{ name: 'Website', monitors: [{ monitor_id: 3, label: 'Shop' }] }]

const GroupsRecord = Type.Array(
  Type.Object(
    {
      name: groupName,
      monitors: Type.Array(
        Type.Object({ monitor_id: Type.Integer({ examples: [3] }), label }, { additionalProperties: false }),
      ),
    },
    { additionalProperties: false },
  ),
  { description: descriptions.groups, examples: [exampleGroups] },
)

export const StatusPageRecord = Type.Object(
  {
    id: Type.Integer({ examples: [1] }),
    slug,
    title,
    description,
    privacy,
    has_password: Type.Boolean({
      description: 'Whether a password is stored; it is never returned',
      examples: [false],
    }),
    custom_domain: customDomain,
    custom_domain_verified_at: { ...timestampOrNull, description: descriptions.custom_domain_verified_at },
    custom_domain_record: {
      ...nullable(DomainProofRecord),
      description: 'The DNS record that proves that the domain is yours; null without `custom_domain`',
    },
    theme,
    accent_color: accentColor,
    time_zone: timeZone,
    groups: GroupsRecord,
    show_response_times: showResponseTimes,
    has_logo: Type.Boolean({ examples: [false] }),
    open_posts: Type.Integer({ description: 'How many posts are not resolved yet', examples: [0] }),
    url: Type.String({
      description: 'Where visitors find the page. An absolute URL if the server has a public URL, otherwise a path',
      examples: ['https://stats.example.com/status/example'],
    }),
    created_at: timestamp,
    updated_at: timestamp,
  },
  { additionalProperties: false },
)
export type StatusPageRecord = Static<typeof StatusPageRecord>

export const StatusPageResponse = itemResponse(StatusPageRecord)

const GroupsInput = Type.Array(
  Type.Object(
    {
      name: groupName,
      monitors: Type.Array(
        Type.Object({ monitor_id: resourceId, label: Type.Optional(label) }, { additionalProperties: false }),
        { maxItems: MAX_PAGE_MONITORS },
      ),
    },
    { additionalProperties: false },
  ),
  {
    maxItems: MAX_GROUPS,
    description: descriptions.groups,
    examples: [exampleGroups],
  },
)
export type GroupsInput = Static<typeof GroupsInput>

export const statusPageDefaults = {
  privacy: PRIVACY.public,
  theme: 'auto',
  show_response_times: false,
} as const

function createSettingsSchema(isNew: boolean) {
  return {
    description: Type.Optional(description),
    privacy: inputField(privacy, isNew, statusPageDefaults.privacy),
    password: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_PASSWORD_LENGTH,
        format: 'password',
        description: descriptions.password,
        examples: ['open sesame'],
      }),
    ),
    custom_domain: Type.Optional(customDomain),
    theme: inputField(theme, isNew, statusPageDefaults.theme),
    accent_color: Type.Optional(accentColorInput),
    time_zone: Type.Optional(timeZone),
    groups: Type.Optional(GroupsInput),
    show_response_times: inputField(showResponseTimes, isNew, statusPageDefaults.show_response_times),
  }
}

export const CreateStatusPage = Type.Object(
  { slug: slugInput, title, ...createSettingsSchema(true) },
  { additionalProperties: false, examples: [{ slug: 'example', title: 'Example status', theme: 'auto' }] },
)
export type CreateStatusPage = Static<typeof CreateStatusPage>

export const UpdateStatusPage = Type.Object(
  { slug: Type.Optional(slugInput), title: Type.Optional(title), ...createSettingsSchema(false) },
  { additionalProperties: false, examples: [{ groups: exampleGroups }] },
)
export type UpdateStatusPage = Static<typeof UpdateStatusPage>

export const StatusPageQuery = Type.Object({
  search: Type.Optional(Type.String({ description: 'Part of the title or slug; case-insensitive' })),
})
