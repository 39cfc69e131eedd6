/** A page that is gone to begins at its top; one that is come back to stands where it was left. */
import { useLayoutEffect } from 'preact/hooks'

const KEY = 'belfry-scroll'
const KEPT_MOST = 50
/** What a page has to ask for first may make it tall later, but who waits longer has begun to read. */
const PATIENCE_MS = 2_000

const positions = readPositions()
/** From the jump until its page stands where it should nothing is noted. */
let arrival: 'new' | 'back' | undefined = wasHere() ? 'back' : 'new'
let address = here()

function wasHere(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return entry?.type === 'reload' || entry?.type === 'back_forward'
}

function here(): string {
  return location.pathname + location.search
}

function readPositions(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? '[]'))
  } catch {
    return new Map()
  }
}

function note(): void {
  if (arrival !== undefined) return
  positions.delete(address)
  positions.set(address, window.scrollY)
}

/** The address is another one already, what is seen is not. A filter in the address makes no other page. */
function arrive(how: 'new' | 'back'): void {
  const isOther = location.pathname !== address.split('?', 1)[0]
  if (isOther) {
    note()
    arrival = how
  }
  address = here()
}

history.scrollRestoration = 'manual'
addEventListener('popstate', () => arrive('back'))
// The router tells of these.
addEventListener('pushState', () => arrive('new'))
addEventListener('replaceState', () => arrive('new'))
addEventListener('pagehide', () => {
  note()
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...positions].slice(-KEPT_MOST)))
  } catch {}
})

/** Whoever moves by themselves decides. */
const ownMoves = ['wheel', 'touchstart', 'keydown', 'pointerdown']

function restore(top: number): () => void {
  const until = performance.now() + PATIENCE_MS
  let frame = 0
  const stop = () => {
    cancelAnimationFrame(frame)
    for (const type of ownMoves) removeEventListener(type, end)
  }
  const end = () => {
    stop()
    arrival = undefined
  }
  const attempt = () => {
    window.scrollTo(0, top)
    if (Math.abs(window.scrollY - top) < 2 || performance.now() > until) end()
    else frame = requestAnimationFrame(attempt)
  }
  for (const type of ownMoves) addEventListener(type, end, { passive: true })
  attempt()
  return stop
}

export function useScrollRestoration(): void {
  useLayoutEffect(() => {
    if (arrival === undefined) return
    return restore(arrival === 'back' ? (positions.get(here()) ?? 0) : 0)
  }, [])
}
