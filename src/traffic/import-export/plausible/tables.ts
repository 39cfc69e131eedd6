/** The tables of Plausible's export format. Each file is a table of daily totals, broken down by some columns. */

const visitColumns = ['visitors', 'visits', 'visit_duration', 'bounces', 'pageviews'] as const

/** The columns of each table, in the order in which Plausible exports them. */
export const plausibleTables = {
  visitors: ['date', 'visitors', 'pageviews', 'bounces', 'visits', 'visit_duration'],
  sources: [
    'date',
    'source',
    'referrer',
    'utm_source',
    'utm_medium',
    'utm_campaign',
    'utm_content',
    'utm_term',
    'pageviews',
    'visitors',
    'visits',
    'visit_duration',
    'bounces',
  ],
  pages: ['date', 'hostname', 'page', 'visits', 'visitors', 'pageviews'],
  entry_pages: ['date', 'entry_page', 'visitors', 'entrances', 'visit_duration', 'bounces', 'pageviews'],
  exit_pages: ['date', 'exit_page', 'visitors', 'visit_duration', 'exits', 'bounces', 'pageviews'],
  locations: ['date', 'country', 'region', 'city', ...visitColumns],
  devices: ['date', 'device', ...visitColumns],
  browsers: ['date', 'browser', 'browser_version', ...visitColumns],
  operating_systems: ['date', 'operating_system', 'operating_system_version', ...visitColumns],
  custom_events: ['date', 'name', 'link_url', 'path', 'visitors', 'events'],
} as const
export type PlausibleTable = keyof typeof plausibleTables

/** The column that identifies each table. `visitors` is last, because other tables have all of its columns. */
const distinctiveColumns: readonly [PlausibleTable, string][] = [
  ['sources', 'source'],
  ['pages', 'page'],
  ['entry_pages', 'entry_page'],
  ['exit_pages', 'exit_page'],
  ['locations', 'country'],
  ['devices', 'device'],
  ['browsers', 'browser'],
  ['operating_systems', 'operating_system'],
  ['custom_events', 'name'],
  ['visitors', 'visitors'],
]

/**
 * Recognizes a table by its header, because files may have been renamed. The header needs only `date` and the
 * distinctive column.
 */
export function findPlausibleTable(header: readonly string[]): PlausibleTable | undefined {
  if (!header.includes('date')) return undefined
  return distinctiveColumns.find(([, column]) => header.includes(column))?.[0]
}

export function formatPlausibleFileName(table: PlausibleTable, from: string, to: string): string {
  const [first, last] = [from, to].map((day) => day.replaceAll('-', ''))
  return `imported_${table}_${first}_${last}.csv`
}
