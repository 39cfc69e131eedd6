/**
 * Lets a form intercept the browser's Back button before the router reacts to it. Listeners run in the order they were
 * added, so main.tsx imports this file before the router.
 */
type Listener = (event: PopStateEvent) => void

let guard: Listener | undefined
window.addEventListener('popstate', (event) => guard?.(event))

/** Call when unsaved input no longer matters, so that the next step back isn't intercepted. */
export function clearBackGuard(): void {
  guard = undefined
}

/** Returns a function that removes the guard. */
export function setBackGuard(listener: Listener): () => void {
  guard = listener
  return () => {
    if (guard === listener) guard = undefined
  }
}
