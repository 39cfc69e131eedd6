import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useScrollRestoration } from '../lib/scroll-restoration.ts'

interface PageProps {
  /** Of the window too. */
  title: string
  /** In the place of the title, where it is more than a text. */
  heading?: ComponentChildren
  actions?: ComponentChildren
  /** For forms and texts. */
  isNarrow?: boolean
  children: ComponentChildren
}

let isFirst = true

/** Where the focus goes when what had it is gone. */
export function focusHeading(): void {
  document.querySelector('h1')?.focus({ preventScroll: true })
}

export function Page({ title, heading, actions, isNarrow = false, children }: PageProps) {
  const head = useRef<HTMLHeadingElement>(null)
  useScrollRestoration()
  useEffect(() => {
    document.title = title === 'Belfry' ? title : `${title} · Belfry`
  }, [title])
  useEffect(() => {
    // After a jump within the application the focus goes where the new page begins, as a browser does for a document.
    if (!isFirst && document.activeElement === document.body) head.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  return (
    <main id="content" class="page">
      <div class={isNarrow ? 'page-narrow' : undefined}>
        <div class="page-head">
          <h1 ref={head} tabIndex={-1}>
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
