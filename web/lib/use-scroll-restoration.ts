/** Scrolls a new page to the top and a revisited page to its last position, as browsers do for documents. */
import { useLayoutEffect } from 'preact/hooks'

const STORAGE_KEY = 'belfry-scroll'
const MAX_POSITIONS = 50
/**
 * A page may need to load data before it is tall enough to scroll, so restoring is retried for this long. Later, the user
 * has started reading, and the page must not jump.
 */
const RESTORE_TIMEOUT_MS = 2_000

const positions = readPositions()
/** Set by navigation until the new page has its scroll position. No positions are recorded during that time. */
let pendingNavigation: 'new' | 'back' | undefined = isRevisit() ? 'back' : 'new'
let currentPath = readPath()

function isRevisit(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return entry?.type === 'reload' || entry?.type === 'back_forward'
}

function readPath(): string {
  return location.pathname + location.search
}

function readPositions(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]'))
  } catch {
    return new Map()
  }
}

function recordPosition(): void {
  if (pendingNavigation !== undefined) return
  positions.delete(currentPath)
  positions.set(currentPath, window.scrollY)
}

/** Runs after the URL has changed but before the new page is rendered. A changed query string is still the same page. */
function handleNavigation(kind: 'new' | 'back'): void {
  const isOtherPage = location.pathname !== currentPath.split('?', 1)[0]
  if (isOtherPage) {
    recordPosition()
    pendingNavigation = kind
  }
  currentPath = readPath()
}

history.scrollRestoration = 'manual'
addEventListener('popstate', () => handleNavigation('back'))
// The router dispatches the events pushState and replaceState. Browsers don't.
addEventListener('pushState', () => handleNavigation('new'))
addEventListener('replaceState', () => handleNavigation('new'))
addEventListener('pagehide', () => {
  recordPosition()
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-MAX_POSITIONS)))
  } catch {}
})

/** After one of these events the user is in control, so the page stops restoring the scroll position. */
const inputEventTypes = ['wheel', 'touchstart', 'keydown', 'pointerdown']

function restorePosition(top: number): () => void {
  const deadline = performance.now() + RESTORE_TIMEOUT_MS
  let frame = 0
  const stop = () => {
    cancelAnimationFrame(frame)
    for (const type of inputEventTypes) removeEventListener(type, finish)
  }
  const finish = () => {
    stop()
    pendingNavigation = undefined
  }
  const scroll = () => {
    window.scrollTo(0, top)
    if (Math.abs(window.scrollY - top) < 2 || performance.now() > deadline) finish()
    else frame = requestAnimationFrame(scroll)
  }
  for (const type of inputEventTypes) addEventListener(type, finish, { passive: true })
  scroll()
  return stop
}

export function useScrollRestoration(): void {
  useLayoutEffect(() => {
    if (pendingNavigation === undefined) return
    return restorePosition(pendingNavigation === 'back' ? (positions.get(readPath()) ?? 0) : 0)
  }, [])
}
