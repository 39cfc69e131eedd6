/** The tables in which Plausible exports and imports statistics: totals of a day, each under some heading. */

const visit = ['visitors', 'visits', 'visit_duration', 'bounces', 'pageviews'] as const

/** Every table by what its files are called behind `imported_`, with its columns in their order. */
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
  locations: ['date', 'country', 'region', 'city', ...visit],
  devices: ['date', 'device', ...visit],
  browsers: ['date', 'browser', 'browser_version', ...visit],
  operating_systems: ['date', 'operating_system', 'operating_system_version', ...visit],
  custom_events: ['date', 'name', 'link_url', 'path', 'visitors', 'events'],
} as const
export type PlausibleTable = keyof typeof plausibleTables

/** What a table has and no other; that of the visitors has nothing but numbers. */
const marks: readonly [PlausibleTable, string][] = [
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

/** By its header: files get renamed. Columns may be left out. */
export function findPlausibleTable(header: readonly string[]): PlausibleTable | undefined {
  if (!header.includes('date')) return undefined
  return marks.find(([, column]) => header.includes(column))?.[0]
}

const bare = (day: string) => day.replaceAll('-', '')

export function plausibleFileName(table: PlausibleTable, from: string, to: string): string {
  return `imported_${table}_${bare(from)}_${bare(to)}.csv`
}
