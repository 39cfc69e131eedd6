/** Short messages about completed actions, with a button if the action can be undone or continued. `Toasts` shows them. */

interface ToastAction {
  label: string
  run: () => void
}

export interface Toast {
  id: number
  text: string
  isError: boolean
  action: ToastAction | undefined
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

export function dismissToast(id: number): void {
  setToasts(toasts.filter((toast) => toast.id !== id))
}

type ToastOptions = { isError?: boolean; undo?: () => void; action?: ToastAction }

function addToast(text: string, { isError = false, undo, action }: ToastOptions): number {
  lastId += 1
  setToasts([...toasts.slice(-3), { id: lastId, text, isError, action: undo ? { label: 'Undo', run: undo } : action }])
  return lastId
}

/** Shows a message while an action runs. Returns a function that removes it. */
export function showProgress(text: string): () => void {
  const id = addToast(text, {})
  return () => dismissToast(id)
}

export function showToast(text: string, options: ToastOptions = {}): void {
  const id = addToast(text, options)
  const dismissUnlessInUse = () => {
    // Keep the toast while the user points at it or has the focus in it.
    if (document.querySelector('.toasts:is(:hover, :focus-within)')) setTimeout(dismissUnlessInUse, TOAST_VISIBLE_MS)
    else dismissToast(id)
  }
  setTimeout(dismissUnlessInUse, TOAST_VISIBLE_MS)
}

/** Shows the failure of an action that doesn't belong to a form. */
export function showProblem(error: unknown): void {
  showToast(error instanceof Error ? error.message : `${error}`, { isError: true })
}

export const listToasts = () => toasts

/** Returns a function that removes the listener. */
export function onToastsChange(listener: (toasts: readonly Toast[]) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
