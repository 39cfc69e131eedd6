/** The icon of a value in a panel of the statistics, such as a flag or the logo of a browser. Panels such as pages have none. */
import type { PanelName } from '../../src/traffic/stats/schema.ts'
import { Monogram } from './monogram.tsx'

const panelsWithIcons: ReadonlySet<PanelName> = new Set<PanelName>([
  'browser',
  'country',
  'device',
  'os',
  'referrer',
  'source',
])

export function ValueIcon({ panel, value }: { panel: PanelName; value: string }) {
  return panelsWithIcons.has(panel) ? <Monogram name={value} /> : null
}
