/** The query of `/status/{slug}/badge.svg` and `/status/{slug}/{monitor_id}/badge.svg`. */
import type { Static } from 'typebox'
import { stringEnum } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { badgeStyles, badgeThemes } from './draw-badge.ts'

const MAX_BADGE_LABEL_LENGTH = 100

const badgeTypes = ['state', 'uptime', 'response_time'] as const
export const badgePeriods = ['24h', '30d', '90d'] as const
export type BadgePeriod = (typeof badgePeriods)[number]

export const BadgeQuery = Type.Object({
  type: Type.Optional(stringEnum(badgeTypes, { default: 'state', description: 'What the badge shows' })),
  period: Type.Optional(
    stringEnum(badgePeriods, {
      description:
        'The period of the uptime, by default 30d. Response times are always the average of 24h. A state has no period',
      examples: ['30d'],
    }),
  ),
  label: Type.Optional(
    Type.String({
      maxLength: MAX_BADGE_LABEL_LENGTH,
      description:
        "The text on the left. For type `state`, the default is the page's title or the monitor's label; for other types, it is the type and period",
      examples: ['Shop'],
    }),
  ),
  style: Type.Optional(stringEnum(badgeStyles, { default: 'flat', description: '`square` has no round corners' })),
  theme: Type.Optional(stringEnum(badgeThemes, { default: 'dark', description: 'The color behind the label' })),
})
export type BadgeQuery = Static<typeof BadgeQuery>
