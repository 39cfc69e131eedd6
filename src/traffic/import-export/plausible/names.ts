/** Values that Plausible and Belfry call by different names. */
const browsers = { 'Microsoft Edge': 'Edge', 'Samsung Browser': 'Samsung Internet' }
const systems = { Mac: 'macOS', 'Chrome OS': 'ChromeOS' }
const devices = { Desktop: 'desktop', Mobile: 'mobile', Tablet: 'tablet' }
/** Plausible leaves the source of direct visits empty. */
const sources = { '': 'Direct' }

const belfryNames = {
  browser: browsers,
  os: systems,
  // Older exports distinguish desktop screens by size.
  device: { ...devices, Laptop: 'desktop', Ultrawide: 'desktop' },
  source: sources,
}

const plausibleNames = {
  browser: invert(browsers),
  os: invert(systems),
  device: invert(devices),
  source: invert(sources),
}

type RenamedDimension = keyof typeof belfryNames

export function toBelfryName(dimension: RenamedDimension, name: string): string {
  return lookUp(belfryNames[dimension], name)
}

export function toPlausibleName(dimension: RenamedDimension, name: string): string {
  return lookUp(plausibleNames[dimension], name)
}

function lookUp(names: Record<string, string>, name: string): string {
  return Object.hasOwn(names, name) ? (names[name] as string) : name
}

function invert(names: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([name, otherName]) => [otherName, name]))
}
