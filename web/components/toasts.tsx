/** Short messages about completed actions, with an Undo button if the action can be undone. */
import { X } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface Toast {
  id: number
  text: string
  isError: boolean
  undo: (() => void) | undefined
}

/** Long enough to read the message and reach its button. */
const TOAST_VISIBLE_MS = 8_000

let lastId = 0
let toasts: readonly Toast[] = []
const listeners = new Set<(toasts: readonly Toast[]) => void>()

function setToasts(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener(next)
}

function dismiss(id: number): void {
  setToasts(toasts.filter((toast) => toast.id !== id))
}

export function showToast(
  text: string,
  { isError = false, undo }: { isError?: boolean; undo?: () => void } = {},
): void {
  lastId += 1
  const id = lastId
  setToasts([...toasts.slice(-3), { id, text, isError, undo }])
  const dismissUnlessInUse = () => {
    // Keep the toast while the user points at it or has the focus in it.
    if (document.querySelector('.toasts:is(:hover, :focus-within)')) setTimeout(dismissUnlessInUse, TOAST_VISIBLE_MS)
    else dismiss(id)
  }
  setTimeout(dismissUnlessInUse, TOAST_VISIBLE_MS)
}

/** For failures outside of a form. */
export function showProblem(error: unknown): void {
  showToast(error instanceof Error ? error.message : `${error}`, { isError: true })
}

export function Toasts() {
  const [visibleToasts, setVisibleToasts] = useState(toasts)
  const region = useRef<HTMLElement>(null)
  useEffect(() => {
    listeners.add(setVisibleToasts)
    return () => void listeners.delete(setVisibleToasts)
  }, [])
  /** Keeps the focus in the toast region, because the clicked button disappears with its toast. */
  function close(id: number) {
    region.current?.focus()
    dismiss(id)
  }
  return (
    <section ref={region} class="toasts" aria-live="polite" aria-label="Messages" tabIndex={-1}>
      {visibleToasts.map(({ id, text, isError, undo }) => (
        <div key={id} class={`toast${isError ? ' toast-bad' : ''}`}>
          <span>{text}</span>
          {undo && (
            <button
              type="button"
              onClick={() => {
                close(id)
                undo()
              }}
            >
              Undo
            </button>
          )}
          <button type="button" aria-label="Dismiss" onClick={() => close(id)}>
            <Icon icon={X} />
          </button>
        </div>
      ))}
    </section>
  )
}
