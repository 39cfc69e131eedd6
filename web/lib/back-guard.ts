/** The browser's way back, heard before the router hears it: listeners of the window are called in their order. */
type Listener = (event: PopStateEvent) => void

let guard: Listener | undefined
// Once, when the application is loaded, which is before the router listens.
window.addEventListener('popstate', (event) => guard?.(event))

/** What was typed is saved, or of no use any more: the next step back is not asked about. */
export function clearBackGuard(): void {
  guard = undefined
}

/** Returns how to let go. */
export function setBackGuard(listener: Listener): () => void {
  guard = listener
  return () => {
    if (guard === listener) guard = undefined
  }
}
