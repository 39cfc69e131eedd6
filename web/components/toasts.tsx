/** Short messages about what has been done, with a way back where there is one. */
import { useEffect, useRef, useState } from 'preact/hooks'

interface Toast {
  id: number
  text: string
  isBad: boolean
  undo: (() => void) | undefined
}

/** Long enough to read it and to reach the button. */
const SHOWN_MS = 8_000

let last = 0
let toasts: readonly Toast[] = []
const listeners = new Set<(toasts: readonly Toast[]) => void>()

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener(next)
}

function dismiss(id: number): void {
  change(toasts.filter((toast) => toast.id !== id))
}

export function showToast(text: string, { isBad = false, undo }: { isBad?: boolean; undo?: () => void } = {}): void {
  last += 1
  const id = last
  change([...toasts.slice(-3), { id, text, isBad, undo }])
  const end = () => {
    // Not under the pointer of whoever is about to press it, nor with the focus.
    if (document.querySelector('.toasts:is(:hover, :focus-within)')) setTimeout(end, SHOWN_MS)
    else dismiss(id)
  }
  setTimeout(end, SHOWN_MS)
}

/** For what failed without a form to say it in. */
export function showProblem(error: unknown): void {
  showToast(error instanceof Error ? error.message : `${error}`, { isBad: true })
}

export function Toasts() {
  const [shown, setShown] = useState(toasts)
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    listeners.add(setShown)
    return () => void listeners.delete(setShown)
  }, [])
  /** The button is gone with the message: the focus stays where messages are. */
  function close(id: number) {
    place.current?.focus()
    dismiss(id)
  }
  return (
    <section ref={place} class="toasts" aria-live="polite" aria-label="Messages" tabIndex={-1}>
      {shown.map(({ id, text, isBad, undo }) => (
        <div key={id} class={`toast${isBad ? ' toast-bad' : ''}`}>
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
            ✕
          </button>
        </div>
      ))}
    </section>
  )
}
