/** What stands in the place of something that is not there: still loading, failed, or nothing yet. */
import type { ComponentChildren } from 'preact'
import { ApiProblem } from '../lib/api.ts'
import { Button } from './button.tsx'

/** As tall as what will stand there, so that nothing jumps. */
export function Skeleton({ height, width }: { height: string; width?: string }) {
  return <div class="skeleton" style={{ height, width }} aria-hidden="true" />
}

/** Says for screen readers what the grey boxes say for the eye. */
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
        {error instanceof ApiProblem && error.requestId && <div class="small">Request {error.requestId}</div>}
      </div>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

interface AskedProps<T> {
  query: { data: T | undefined; error: unknown; refetch: () => Promise<unknown> }
  /** In its place until it is there. */
  waiting: ComponentChildren
  children: (data: T) => ComponentChildren
}

/** What was asked for. Once it is there it stays, also when asking again fails: somebody may be typing in it. */
export function Asked<T>({ query: { data, error, refetch }, waiting, children }: AskedProps<T>) {
  if (data !== undefined) return children(data)
  return error === null ? waiting : <ErrorState error={error} retry={() => void refetch()} />
}

export function EmptyState({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  )
}
