/** Decides which icon a value of the statistics gets. */
import { sourceHosts } from '../../src/shared/traffic-sources.ts'
import type { PanelName } from '../../src/traffic/stats/schema.ts'
import { type IconFile, toLogoFile } from './logos.ts'
import { browserLogos, osLogos, sourceLogos } from './value-icon-table.ts'

export type ValueIconChoice =
  | ({ kind: 'file' } & IconFile)
  | { kind: 'device' | 'origin' | 'continent'; name: string }
  | { kind: 'monogram' }

const monogram: ValueIconChoice = { kind: 'monogram' }

/** Values come from visitors, so a value such as `constructor` must not find a property that every object has. */
function chooseLogo(logos: Readonly<Record<string, string>>, value: string): ValueIconChoice {
  if (!Object.hasOwn(logos, value)) return monogram
  return { kind: 'file', ...toLogoFile(logos[value] ?? '') }
}

/** Accepts a country code such as DE, and a code or name that contains one, such as `US-CA` or `Munich, DE`. */
function chooseFlag(value: string): ValueIconChoice {
  const code = /^[A-Z]{2}(?=$|-)|(?<=, )[A-Z]{2}$/.exec(value)?.[0]
  if (code === undefined) return monogram
  return { kind: 'file', path: `flags/${code.toLowerCase()}.svg`, isMonochrome: false }
}

/** Sources that aren't websites. */
const originNames = new Set(['Direct', 'Email', 'Newsletter'])

function chooseSource(value: string): ValueIconChoice {
  return originNames.has(value) ? { kind: 'origin', name: value } : chooseLogo(sourceLogos, value)
}

let sourcesByHost: ReadonlyMap<string, string> | undefined

/**
 * The known source of a referrer such as `news.ycombinator.com/item`. If several hosts match, the most specific one
 * wins.
 */
export function findReferrerSource(referrer: string): string | undefined {
  sourcesByHost ??= new Map(
    Object.entries(sourceHosts).flatMap(([name, hosts]) => hosts.split(' ').map((host) => [host, name] as const)),
  )
  const labels = (/^[^/:?#]+/.exec(referrer)?.[0] ?? '').split('.')
  for (let start = 0; start < labels.length - 1; start++) {
    const rest = labels.slice(start)
    const isCountryDomain = /^(?:com?\.)?[a-z]{2}$/.test(rest.slice(1).join('.'))
    const name = sourcesByHost.get(rest.join('.')) ?? (isCountryDomain ? sourcesByHost.get(`${rest[0]}.*`) : undefined)
    if (name !== undefined) return name
  }
  return undefined
}

/** Undefined for panels whose values have no icons, such as pages. */
const choosers: Partial<Record<PanelName, (value: string) => ValueIconChoice>> = {
  browser: (value) => chooseLogo(browserLogos, value),
  city: chooseFlag,
  continent: (name) => ({ kind: 'continent', name }),
  country: chooseFlag,
  device: (name) => ({ kind: 'device', name }),
  os: (value) => chooseLogo(osLogos, value),
  referrer: (value) => chooseSource(findReferrerSource(value) ?? value),
  region: chooseFlag,
  source: chooseSource,
}

export function chooseValueIcon(panel: PanelName, value: string): ValueIconChoice | undefined {
  return choosers[panel]?.(value)
}
