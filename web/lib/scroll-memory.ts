/** A page that is gone to begins at its top; one that is come back to stands where it was left. */
import { useLayoutEffect } from 'preact/hooks'

const KEY = 'belfry-scroll'
/** What a page has to ask for first may make it tall later, but who waits longer has begun to read. */
const PATIENCE_MS = 2_000

const positions = readPositions()
/** From the jump until its page is there nothing is noted: what stands between may be short. */
let arrival: 'new' | 'back' | undefined = wasHere() ? 'back' : 'new'

function wasHere(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return entry?.type === 'reload' || entry?.type === 'back_forward'
}

const here = () => location.pathname + location.search

function readPositions(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(KEY) ?? '[]'))
  } catch {
    return new Map()
  }
}

function keepPositions(): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...positions].slice(-50)))
  } catch {}
}

/** Whether the page is another one; a filter in its address makes none. */
let path = location.pathname
function arrive(how: 'new' | 'back'): void {
  if (location.pathname !== path) arrival = how
  path = location.pathname
}

history.scrollRestoration = 'manual'
addEventListener('popstate', () => arrive('back'))
// The router tells of these.
addEventListener('pushState', () => arrive('new'))
addEventListener('replaceState', () => arrive('new'))
addEventListener('pagehide', keepPositions)
addEventListener(
  'scroll',
  () => {
    if (arrival === undefined) positions.set(here(), window.scrollY)
  },
  { passive: true },
)

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

export function useScrollMemory(): void {
  useLayoutEffect(() => {
    if (arrival === undefined) return
    return restore(arrival === 'back' ? (positions.get(here()) ?? 0) : 0)
  }, [])
}
