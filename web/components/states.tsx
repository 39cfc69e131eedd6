/**
 * What a page shows in place of missing data: while the data loads, when loading failed, and when there is no data yet.
 */
import type { LucideIcon } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { ApiProblem } from '../lib/api.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

/** A placeholder with the height of the missing content, so that the page doesn't jump when the content arrives. */
export function Skeleton({ height, width }: { height: string; width?: string }) {
  return <div class="skeleton" style={{ height, width }} aria-hidden="true" />
}

/** Tells screen readers that content is loading, which sighted users see from the grey skeleton boxes. */
export function Loading({ what, children }: { what: string; children: ComponentChildren }) {
  return (
    <div class="stack">
      <p class="hidden-text" role="status">
        Loading {what}…
      </p>
      {children}
    </div>
  )
}

export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const text = error instanceof Error ? error.message : `${error}`
  return (
    <div class="notice notice-bad" role="alert">
      <div>
        <strong>{text}</strong>
        {error instanceof ApiProblem && error.requestId && <div class="small">Request ID: {error.requestId}</div>}
      </div>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

interface QueryContentProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => Promise<unknown> }
  /** Shown until the data arrives. */
  loading: ComponentChildren
  children: (data: T) => ComponentChildren
}

/** Keeps showing the data when a later refetch fails, because the user may be typing in a form built from it. */
export function QueryContent<T>({ query: { data, error, refetch }, loading, children }: QueryContentProps<T>) {
  if (data !== undefined) return children(data)
  return error === null ? loading : <ErrorState error={error} retry={() => void refetch()} />
}

/** An icon on a tinted square, above or beside a heading. */
export function IconTile({ icon }: { icon: LucideIcon }) {
  return (
    <span class="icon-tile" aria-hidden="true">
      <Icon icon={icon} size={20} />
    </span>
  )
}

export function EmptyState({
  title,
  icon,
  children,
}: {
  title: string
  icon?: LucideIcon
  children: ComponentChildren
}) {
  return (
    <div class="empty">
      {icon && <IconTile icon={icon} />}
      <h2>{title}</h2>
      {children}
    </div>
  )
}
