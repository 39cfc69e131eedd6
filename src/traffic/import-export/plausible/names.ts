/** What Plausible calls by another name than we do. */

const browsers = { 'Microsoft Edge': 'Edge', 'Samsung Browser': 'Samsung Internet' }
const systems = { Mac: 'macOS', 'Chrome OS': 'ChromeOS' }
const devices = { Desktop: 'desktop', Mobile: 'mobile', Tablet: 'tablet' }
/** Nobody sent them: to Plausible that is no name at all. */
const sources = { '': 'Direct' }

const ours = {
  browser: browsers,
  os: systems,
  // It tells small screens from large ones, in older exports.
  device: { ...devices, Laptop: 'desktop', Ultrawide: 'desktop' },
  source: sources,
}

const theirs = {
  browser: turned(browsers),
  os: turned(systems),
  device: turned(devices),
  source: turned(sources),
}

export type RenamedDimension = keyof typeof ours

export function toBelfryName(dimension: RenamedDimension, name: string): string {
  return lookUp(ours[dimension], name)
}

export function toPlausibleName(dimension: RenamedDimension, name: string): string {
  return lookUp(theirs[dimension], name)
}

function lookUp(names: Record<string, string>, name: string): string {
  return Object.hasOwn(names, name) ? (names[name] as string) : name
}

function turned(table: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([one, other]) => [other, one]))
}
