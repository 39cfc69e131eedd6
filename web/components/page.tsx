import { ChevronLeft } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useScrollRestoration } from '../lib/use-scroll-restoration.ts'
import { Icon } from './icon.tsx'

interface PageProps {
  /** The heading and the title of the document. */
  title: string
  /** Shown instead of the title if the heading needs markup. */
  heading?: ComponentChildren
  actions?: ComponentChildren
  /** A link above the heading to the list that the page belongs to. */
  parent?: { href: string; label: string }
  /** Set for pages with only a form or text. */
  isNarrow?: boolean
  /** Set for pages that show settings in sections. */
  isSettings?: boolean
  /** Set for pages with only a short form or message, in the middle of the window's width. */
  isCentered?: boolean
  children: ComponentChildren
}

let isFirstPage = true

/** Call after the focused element has been removed from the page, so that the Tab key continues from the heading. */
export function focusHeading(): void {
  document.querySelector('h1')?.focus({ preventScroll: true })
}

export function Page({
  title,
  heading,
  actions,
  parent,
  isNarrow = false,
  isSettings = false,
  isCentered = false,
  children,
}: PageProps) {
  const headingRef = useRef<HTMLHeadingElement>(null)
  useScrollRestoration()
  useEffect(() => {
    document.title = title === 'Belfry' ? title : `${title} · Belfry`
  }, [title])
  useEffect(() => {
    // After navigation within the app, Tab and screen readers start at the new heading, as in a new document.
    if (!isFirstPage && document.activeElement === document.body) headingRef.current?.focus({ preventScroll: true })
    isFirstPage = false
  }, [])
  return (
    <main id="content" class="page">
      <div class={isCentered ? 'page-centered' : isSettings ? 'page-settings' : isNarrow ? 'page-narrow' : undefined}>
        {parent && (
          <Link href={parent.href} class="page-parent small">
            <Icon icon={ChevronLeft} size={14} />
            {parent.label}
          </Link>
        )}
        <div class="page-head">
          <h1 ref={headingRef} tabIndex={-1}>
            {heading ?? title}
          </h1>
          {actions && <div class="page-actions">{actions}</div>}
        </div>
        {children}
      </div>
    </main>
  )
}

interface PanelProps {
  title: ComponentChildren
  actions?: ComponentChildren
  children: ComponentChildren
}

export function Panel({ title, actions, children }: PanelProps) {
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}
