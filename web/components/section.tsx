import type { LucideIcon } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

interface SectionProps {
  title: string
  icon: LucideIcon
  /** What the settings are for, in one line. */
  description?: ComponentChildren
  /** Set for actions that delete something. */
  isDanger?: boolean
  children: ComponentChildren
}

/** A panel whose heading and description are above it, or beside it on a wide settings page. */
export function Section({ title, icon, description, isDanger = false, children }: SectionProps) {
  return (
    <section class={`section${isDanger ? ' section-danger' : ''}`}>
      <div class="section-head">
        <h2>
          <Icon icon={icon} />
          {title}
        </h2>
        {description && <p>{description}</p>}
      </div>
      <div class="panel">{children}</div>
    </section>
  )
}
