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
import { useState } from 'preact/hooks'
import type { PanelName } from '../../src/traffic/stats/schema.ts'
import { chooseValueIcon } from '../lib/value-icons.ts'
import { Icon } from './icon.tsx'
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
    return <IconFile key={choice.path} path={choice.path} isMonochrome={choice.isMonochrome} name={value} />
  }
  const icon = choice.kind === 'continent' ? Earth : (drawnIcons.get(choice.name) ?? CircleQuestionMark)
  return (
    <span class="value-icon value-icon-drawn">
      <Icon icon={icon} />
    </span>
  )
}

function IconFile({ path, isMonochrome, name }: { path: string; isMonochrome: boolean; name: string }) {
  const [hasFailed, setFailed] = useState(false)
  if (hasFailed) return <Monogram name={name} />
  const url = `${__ICON_FOLDER__}/${path}`
  const image = (
    <img
      class="value-icon"
      src={url}
      width="18"
      height="18"
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => setFailed(true)}
    />
  )
  if (!isMonochrome) return image
  // The style sheet resolves relative URLs against its own address, not against the page's.
  const mask = `url("${new URL(url, document.baseURI)}")`
  return (
    <span class="value-icon value-icon-masked" style={{ '--mask': mask }}>
      {image}
    </span>
  )
}
