/**
 * The dimensions of the statistics: what visitors, page views and events are counted by.
 *
 * This table is the only list of them. SQL columns, value ids, counts, columns of blocks, filters, panels and the columns of
 * CSV files derive from it, so a new dimension is one more entry and a migration. CONTRIBUTING.md has the recipe.
 *
 * The database holds `number` and `kind`, and has columns with the names of the dimensions. Never change entries; append new
 * ones at the end.
 */
interface DimensionEntry {
  /** Identifies the dimension in traffic_counts.dimension. */
  number: number
  /**
   * Identifies the kind of values in traffic_values.kind. Dimensions of the same kind share the ids of their values: `/pricing`
   * has one id as page, landing page and exit page.
   */
  kind: number
  scope: DimensionScope
  /** The field of an event that holds the value. */
  field: string
  /** A value that imports accept. Tests use it. */
  example: string
}

/**
 * What is counted for each value of the dimension:
 * - `view`: page views.
 * - `event`: custom events.
 * - `visit`: visitors. A visitor whose visits of a day have different values counts once for each value. A visit has the value
 *   of its first event, but its landing page and exit page are those of its first and last page view.
 * - `visitor`: visitors. A visitor counts once a day, for the value of their first event of the day.
 */
export type DimensionScope = 'view' | 'event' | 'visit' | 'visitor'

// biome-ignore format: aligned columns make it readable as a table
export const dimensionTable = {
  page:         { number: 1,  kind: 1,  scope: 'view',    field: 'page',       example: '/pricing' },
  landing_page: { number: 2,  kind: 1,  scope: 'visit',   field: 'page',       example: '/pricing' },
  exit_page:    { number: 3,  kind: 1,  scope: 'visit',   field: 'page',       example: '/pricing' },
  referrer:     { number: 4,  kind: 2,  scope: 'visit',   field: 'referrer',   example: 'example.org/links' },
  source:       { number: 5,  kind: 3,  scope: 'visit',   field: 'source',     example: 'example.org' },
  campaign:     { number: 6,  kind: 4,  scope: 'visit',   field: 'campaign',   example: 'Spring sale' },
  country:      { number: 7,  kind: 5,  scope: 'visitor', field: 'country',    example: 'DE' },
  region:       { number: 8,  kind: 6,  scope: 'visitor', field: 'region',     example: 'DE-BE' },
  city:         { number: 9,  kind: 7,  scope: 'visitor', field: 'city',       example: 'Berlin, DE' },
  language:     { number: 10, kind: 8,  scope: 'visitor', field: 'language',   example: 'de' },
  browser:      { number: 11, kind: 9,  scope: 'visitor', field: 'browser',    example: 'Firefox' },
  os:           { number: 12, kind: 10, scope: 'visitor', field: 'os',         example: 'GNU/Linux' },
  device:       { number: 13, kind: 11, scope: 'visitor', field: 'device',     example: 'desktop' },
  resolution:   { number: 14, kind: 12, scope: 'visitor', field: 'resolution', example: '1920x1080' },
  event:        { number: 15, kind: 13, scope: 'event',   field: 'name',       example: 'Signup' },
  hostname:     { number: 18, kind: 14, scope: 'visit',   field: 'hostname',   example: 'www.example.com' },
  // The next dimension gets the number 20, because `hourColumns` and `slotColumns` already use 16, 17 and 19. It gets
  // the kind 15, unless it shares the kind of another dimension.
} as const satisfies Record<string, DimensionEntry>

type DimensionTable = typeof dimensionTable
export type Dimension = keyof DimensionTable
export const dimensionNames = Object.keys(dimensionTable) as Dimension[]

type NamesInScope<Scope extends DimensionScope> = {
  [Name in Dimension]: DimensionTable[Name]['scope'] extends Scope ? Name : never
}[Dimension]

export type VisitDimension = NamesInScope<'visit'>
export const visitDimensions = listDimensionsInScope('visit') as VisitDimension[]

export type VisitorDimension = NamesInScope<'visitor'>
export const visitorDimensions = listDimensionsInScope('visitor') as VisitorDimension[]

function listDimensionsInScope(scope: DimensionScope): Dimension[] {
  return dimensionNames.filter((name) => dimensionTable[name].scope === scope)
}

/**
 * The visit dimensions that events carry themselves: where a visit comes from, such as its source, and the host that it began
 * on. The other visit dimensions, the landing page and exit page, follow from the pages of a visit.
 */
export type VisitOriginDimension = {
  [Name in VisitDimension]: Name extends DimensionTable[Name]['field'] ? Name : never
}[VisitDimension]
export const visitOriginDimensions = visitDimensions.filter(
  (name) => dimensionTable[name].field === name,
) as VisitOriginDimension[]

/**
 * Page views and visitors by hour of the day, with their numbers in traffic_counts.dimension. They are counted and stored like
 * dimensions, but the values are hours instead of ids.
 */
export const hourColumns = { view_hours: 16, visitor_hours: 17 } as const
export type HourColumn = keyof typeof hourColumns

/**
 * The number of visits that began on each host in each 5 minutes. It is stored like the counts by hour. visit-slots.ts
 * has the format of the values.
 */
export const slotColumns = { visit_slots: 19 } as const
type SlotColumn = keyof typeof slotColumns

/** The columns of `traffic_days` that hold packed counts. */
export type CountColumn = Dimension | HourColumn | SlotColumn
export const countColumns = [
  ...dimensionNames,
  ...(Object.keys(hourColumns) as HourColumn[]),
  ...(Object.keys(slotColumns) as SlotColumn[]),
] as const
/** For each name in `countColumns`, the number that identifies it in `traffic_counts.dimension`. */
export const countColumnNumbers = Object.fromEntries([
  ...dimensionNames.map((name) => [name, dimensionTable[name].number]),
  ...Object.entries(hourColumns),
  ...Object.entries(slotColumns),
]) as Readonly<Record<CountColumn, number>>
