/** What traffic is counted by. Numbers are those of the database: never change one, add at the end. */

/** What `traffic_values` gives a number to. */
export const valueKinds = {
  page: 1,
  referrer: 2,
  source: 3,
  campaign: 4,
  country: 5,
  region: 6,
  city: 7,
  language: 8,
  browser: 9,
  os: 10,
  device: 11,
  resolution: 12,
  event: 13,
} as const
export type ValueKind = keyof typeof valueKinds

/** Of the visitor: the same for a whole day. */
export const visitorDimensions = [
  'country',
  'region',
  'city',
  'language',
  'browser',
  'os',
  'device',
  'resolution',
] as const
export type VisitorDimension = (typeof visitorDimensions)[number]

/** Of a visit: somebody may come several times a day, from here and there. Each value counts them once. */
export const visitDimensions = ['landing_page', 'exit_page', 'referrer', 'source', 'campaign'] as const
export type VisitDimension = (typeof visitDimensions)[number]

/** Columns of `traffic_days`, and with their number rows of `traffic_counts`. */
export const dimensions = {
  page: 1,
  landing_page: 2,
  exit_page: 3,
  referrer: 4,
  source: 5,
  campaign: 6,
  country: 7,
  region: 8,
  city: 9,
  language: 10,
  browser: 11,
  os: 12,
  device: 13,
  resolution: 14,
  event: 15,
  view_hours: 16,
  visitor_hours: 17,
} as const
export type Dimension = keyof typeof dimensions

/** What the numbers in a dimension stand for; those of hours stand for themselves. */
export type PanelDimension = Exclude<Dimension, 'view_hours' | 'visitor_hours'>
export const panelDimensions = (Object.keys(dimensions) as Dimension[]).filter(
  (name): name is PanelDimension => name !== 'view_hours' && name !== 'visitor_hours',
)

export function kindOfValue(dimension: PanelDimension): ValueKind {
  return dimension === 'landing_page' || dimension === 'exit_page' ? 'page' : dimension
}
