/** Belfry's own format: a CSV file with one event per line. */
import { visitOriginDimensions, visitorDimensions } from '../../model/dimensions.ts'

/** Columns whose text becomes the event's field of the same name. */
export const textColumns = [...visitOriginDimensions, ...visitorDimensions] as const

/** In the order of an exported file. */
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

const requiredColumns: readonly EventColumn[] = ['time', 'kind', 'visitor', 'page']

export const isEventHeader = (header: readonly string[]) => requiredColumns.every((name) => header.includes(name))

/** The values of `device`. */
export const deviceTypes = ['desktop', 'mobile', 'tablet', 'tv', 'console'] as const
