/** Keyboard shortcuts of the website page: letters choose the period, arrow keys move it, Escape zooms out. */
import { useEffect, useRef } from 'preact/hooks'
import { areShortcutsEnabled, hasModifier, isTyping } from '../../lib/shortcuts.ts'
import { COMPARISON_KEY } from './comparison-menu.tsx'
import { CUSTOM_RANGE_KEY, periodNames, periods, shiftPeriod } from './period.ts'
import { type ChangeView, canZoomOut, type WebsiteView, zoomOut } from './view.ts'

interface ViewKeyOptions {
  view: WebsiteView
  today: string
  changeView: ChangeView
  onCustomRange: () => void
}

/** Menus, dialogs and the chart use some of these keys themselves. */
const elementsWithOwnKeys = '[role=menu], [aria-haspopup=menu][aria-expanded=true], dialog, .line-chart'

export function useViewKeys(options: ViewKeyOptions): void {
  const latestOptions = useRef(options)
  latestOptions.current = options
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || hasModifier(event) || event.shiftKey || isTyping(event)) return
      if (document.querySelector('dialog[open]')) return
      if (event.target instanceof Element && event.target.closest(elementsWithOwnKeys) !== null) {
        // In the chart, Escape first hides the tooltip, and the chart calls preventDefault. The next Escape zooms out.
        if (event.key !== 'Escape' || event.target.closest('.line-chart') === null) return
      }
      if (handleKey(event.key, latestOptions.current)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

/** Returns false to leave the key to the browser. */
function handleKey(key: string, { view, today, changeView, onCustomRange }: ViewKeyOptions): boolean {
  if (key === 'Escape') {
    if (!canZoomOut()) return false
    zoomOut(changeView)
    return true
  }
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const target = shiftPeriod(view, key === 'ArrowLeft' ? -1 : 1, today)
    if (target !== undefined) changeView(target)
    return target !== undefined
  }
  if (!areShortcutsEnabled()) return false
  const letter = key.toUpperCase()
  const period = periodNames.find((name) => periods[name].key === letter)
  if (period !== undefined) changeView({ period })
  else if (letter === CUSTOM_RANGE_KEY) onCustomRange()
  else if (letter === COMPARISON_KEY) changeView({ comparison: view.comparison === 'off' ? 'previous' : 'off' })
  else return false
  return true
}
