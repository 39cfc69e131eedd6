/**
 * The icon of a value in a panel of the statistics, such as a flag or the logo of a browser. The values of some panels,
 * such as pages, have no icons.
 */
import {
  CircleQuestionMark,
  Earth,
  Gamepad2,
  Link2,
  type LucideIcon,
  Mail,
  Monitor,
  Newspaper,
  Smartphone,
  Tablet,
  Tv,
} from 'lucide-preact'
import type { PanelName } from '../../src/traffic/stats/schema.ts'
import { chooseValueIcon } from '../lib/value-icons.ts'
import { Icon } from './icon.tsx'
import { LogoImage } from './logo-image.tsx'
import { Monogram } from './monogram.tsx'
import './value-icon.css'

const drawnIcons: ReadonlyMap<string, LucideIcon> = new Map([
  ['desktop', Monitor],
  ['mobile', Smartphone],
  ['tablet', Tablet],
  ['tv', Tv],
  ['console', Gamepad2],
  ['Direct', Link2],
  ['Email', Mail],
  ['Newsletter', Newspaper],
])

export function ValueIcon({ panel, value }: { panel: PanelName; value: string }) {
  const choice = chooseValueIcon(panel, value)
  if (choice === undefined) return null
  if (choice.kind === 'monogram') return <Monogram name={value} />
  if (choice.kind === 'file') {
    // A list reuses its elements for other values. The key creates a new element for another image, so that a failed
    // image doesn't hide the next one.
    return <LogoImage key={choice.path} file={choice} fallback={<Monogram name={value} />} />
  }
  const icon = choice.kind === 'continent' ? Earth : (drawnIcons.get(choice.name) ?? CircleQuestionMark)
  return (
    <span class="value-icon value-icon-drawn">
      <Icon icon={icon} />
    </span>
  )
}
