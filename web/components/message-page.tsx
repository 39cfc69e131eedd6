import type { LucideIcon } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { Page } from './page.tsx'
import { IconTile } from './states.tsx'

interface MessagePageProps {
  title: string
  icon: LucideIcon
  children: ComponentChildren
}

/** A page with only a short message, in the middle of the window's width. */
export function MessagePage({ title, icon, children }: MessagePageProps) {
  return (
    <Page title={title} isCentered heading={<IconHeading icon={icon} text={title} />}>
      <div class="stack centered-text muted">{children}</div>
    </Page>
  )
}

/** For pages with only a message or a short form. */
export function IconHeading({ icon, text }: { icon: LucideIcon; text: string }) {
  return (
    <span class="icon-heading">
      <IconTile icon={icon} />
      {text}
    </span>
  )
}
