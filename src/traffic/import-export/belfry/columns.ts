/** Belfry's own format: one line an event, with everything that is known of it and nothing of who it was. */
import { visitorDimensions } from '../../model/dimensions.ts'

/** Texts that are the same in the file and in an event. */
export const textColumns = ['referrer', 'source', 'campaign', ...visitorDimensions] as const

/** The column of an event's field; those without one are written in their own way. */
export const eventColumns = [
  'time',
  'kind',
  'visitor',
  'visit',
  'page',
  'event',
  'props',
  'engaged_ms',
  'passive',
  ...textColumns,
  'day',
  'hour',
] as const
export type EventColumn = (typeof eventColumns)[number]

/** Without these a file is none of ours. */
export const requiredColumns: readonly EventColumn[] = ['time', 'kind', 'visitor', 'page']

export const isEventHeader = (header: readonly string[]) => requiredColumns.every((name) => header.includes(name))

/** Those that the collector tells apart. */
export const deviceTypes = ['desktop', 'mobile', 'tablet', 'tv', 'console'] as const
