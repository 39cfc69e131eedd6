/**
 * Keyboard shortcuts. Speech input can trigger single-key shortcuts by accident, so users can turn them off (WCAG
 * 2.1.4).
 */
const STORAGE_KEY = 'belfry-shortcuts'

export function areShortcutsEnabled(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== 'off'
  } catch {
    return true
  }
}

export function setShortcutsEnabled(isEnabled: boolean): void {
  try {
    if (isEnabled) localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, 'off')
  } catch {}
}

/** On Apple platforms, shortcuts use ⌘ instead of Ctrl. */
export const isApplePlatform = /Mac|iPhone|iPad/.test(navigator.platform)

/**
 * Keys with these modifiers, such as Ctrl+F, are shortcuts of the browser, so the page ignores them. Shift is allowed,
 * because symbols such as ? need it.
 */
export const hasModifier = (event: KeyboardEvent) => event.ctrlKey || event.metaKey || event.altKey

export const isTyping = ({ target }: Event) =>
  target instanceof Element && target.closest('input, textarea, select') !== null

const moves: Record<string, (index: number, count: number) => number> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** The row that a navigation key moves to. Undefined for other keys. */
export function findNextRowIndex(key: string, index: number, count: number): number | undefined {
  const next = moves[key]?.(index, count)
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next))
}
