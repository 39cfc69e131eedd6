/**
 * A day is divided into parts with different visitors. While it is in memory, a part is a `TrafficPart`. A block is the stored form of one
 * part, a row of the table `traffic_blocks`: it has one column of bytes for each thing that is known about the visitors, visits and
 * events of the part. Readers fetch only the columns that they need.
 *
 * A column that is null has a default for each element, which `encode-block.ts` describes. So a dimension that was added
 * later, or that a website doesn't use, takes no space. docs/decisions/0021-traffic-blocks.md says why the format is as it is.
 */
import { type Dimension, dimensionNames } from '../model/dimensions.ts'

/** Increase it when the format changes, and keep reading the earlier versions. */
export const BLOCK_VERSION = 1

const otherColumns = [
  // What counting needs.
  'visit_counts',
  'durations',
  'views',
  'actions',
  'hour_bits',
  'hit_counts',
  'custom_hits',
  'first_hours',
  'hour_steps',
  // What exports, repacking, counting until a time of day, impact and days with late events also need.
  'visitor_ids',
  'visit_ids',
  'starts',
  'event_delays',
  'event_gaps',
  'engagement_counts',
  'engagement_pages',
  'engagement_hours',
  'engaged_times',
  'props',
  'orphans',
] as const
export type BlockColumn = Dimension | (typeof otherColumns)[number]
/** The columns of the table `traffic_blocks` that hold bytes. */
export const blockColumns: readonly BlockColumn[] = [...dimensionNames, ...otherColumns]

/** The number of elements that the columns have. A hit is a page view or custom event. */
export interface BlockSizes {
  visitors: number
  visits: number
  hits: number
  /** Hits and engagements, but not the events without a visit. */
  events: number
}

export interface Block extends BlockSizes {
  version: number
  columns: Partial<Record<BlockColumn, Uint8Array | null>>
}

/** If one visitor sends more in a day, the day stays unpacked. */
export const MAX_EVENTS_PER_BLOCK = 2 ** 24
/** A local day has at most 25 hours. The format allows 31, because bit operations handle 31 bits without a sign, one for each hour. */
const MAX_HOUR = 30

export const isHour = (hour: number) => hour >= 0 && hour <= MAX_HOUR

/** Maps 0, -1, 1, -2 … to 0, 1, 2, 3 … */
export const zigzag = (value: number) => (value << 1) ^ (value >> 31)
export const unzigzag = (value: number) => (value >>> 1) ^ -(value & 1)
export const zigzagLarge = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value)
export const unzigzagLarge = (value: number) => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)
