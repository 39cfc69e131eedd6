import { CircleAlert, CircleCheck, type LucideIcon, TriangleAlert } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

export type NoticeTone = 'good' | 'bad' | 'warn'

const iconByTone: Record<NoticeTone, LucideIcon> = { good: CircleCheck, bad: CircleAlert, warn: TriangleAlert }

interface NoticeProps {
  tone: NoticeTone
  role?: 'alert' | 'status'
  children: ComponentChildren
}

/** A message on a tinted background, with the icon of its tone. */
export function Notice({ tone, role, children }: NoticeProps) {
  return (
    <div class={`notice notice-${tone}`} role={role}>
      <Icon icon={iconByTone[tone]} />
      <div class="notice-text">{children}</div>
    </div>
  )
}
