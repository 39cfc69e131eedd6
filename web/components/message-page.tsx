import type { LucideIcon } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { Page } from './page.tsx'
import { IconTile } from './states.tsx'

interface MessagePageProps {
  title: string
  icon: LucideIcon
  children: ComponentChildren
}

/** A page with only a short message, in the middle of the window. */
export function MessagePage({ title, icon, children }: MessagePageProps) {
  const heading = (
    <span class="icon-heading">
      <IconTile icon={icon} />
      {title}
    </span>
  )
  return (
    <Page title={title} isCentered heading={heading}>
      <div class="stack centered-text muted">{children}</div>
    </Page>
  )
}
