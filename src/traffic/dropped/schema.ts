import type { Static } from 'typebox'
import { listResponse, nullable, stringEnum, timestamp } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { websiteDropReasons } from '../model/drop-reasons.ts'
import { StatisticsRow } from '../stats/schema.ts'

const daySchema = (description: string) => Type.String({ format: 'date', description, examples: ['2026-01-05'] })

export const DroppedByReason = Type.Object(
  {
    reason: stringEnum(websiteDropReasons, {
      description: 'The drop reason, as in the X-Belfry-Dropped header',
      examples: ['bot'],
    }),
    count: Type.Integer({ description: 'Number of dropped events', examples: [120] }),
    series: Type.Array(StatisticsRow, {
      description: 'One entry per day of the range, including days without dropped events',
      examples: [[{ value: '2026-01-05', count: 120 }]],
    }),
  },
  { additionalProperties: false },
)
export type DroppedByReason = Static<typeof DroppedByReason>

export const DroppedList = listResponse(
  DroppedByReason,
  Type.Object(
    {
      from: daySchema('First day, in the time zone of the website'),
      to: daySchema('Last day'),
      total: Type.Integer({ description: 'Dropped events for all reasons', examples: [124] }),
    },
    { additionalProperties: false },
  ),
)
export type DroppedList = Static<typeof DroppedList>

/**
 * Why the first visit of a website is missing: a page view was not counted, or was counted unexpectedly. `other_host`: counted for
 * this website, although its page is on another host. `other_website`: its page is on this website, but it was counted for another
 * website of the same owner.
 */
export const missingVisitReasons = ['unknown_site', ...websiteDropReasons, 'other_host', 'other_website'] as const
export type MissingVisitReason = (typeof missingVisitReasons)[number]

export const ArrivalRecord = Type.Object(
  {
    reason: stringEnum(missingVisitReasons, {
      description:
        'A drop reason as in the X-Belfry-Dropped header; `other_host`: counted, although the page is outside of the domain; `other_website`: counted for another website of yours',
      examples: ['unknown_site'],
    }),
    domain: nullable(
      Type.String({
        description: 'The domain in the snippet, for `unknown_site` and `other_website`',
        examples: ['shop.example'],
      }),
    ),
    host: nullable(
      Type.String({
        description: 'The host of the page, for `unknown_site`, `other_website` and `other_host`',
        examples: ['www.example.com'],
      }),
    ),
    exclusion: nullable(
      Type.String({ description: 'The line of `exclude_ips` that applied, for `ip`', examples: ['203.0.113.0/24'] }),
    ),
    suggested_domain: nullable(
      Type.String({
        description: 'A website that you could add to count these visits',
        examples: ['shop.example'],
      }),
    ),
    is_own: Type.Boolean({ description: 'Whether one of the page views came from your IP address', examples: [true] }),
    count: Type.Integer({ description: 'Number of page views', examples: [1] }),
    last_at: timestamp,
  },
  { additionalProperties: false },
)
export type ArrivalRecord = Static<typeof ArrivalRecord>

export const ArrivalList = Type.Object({ data: Type.Array(ArrivalRecord) }, { additionalProperties: false })
