/** Keys that are single letters: whoever speaks to the computer, or slips, can turn them off (WCAG 2.1.4). */
const KEY = 'belfry-shortcuts'

export function areShortcutsEnabled(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off'
  } catch {
    return true
  }
}

export function setShortcutsEnabled(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, 'off')
  } catch {}
}

/** Not with a key that means something else together with it. */
export const hasNoModifier = (event: KeyboardEvent) => !event.ctrlKey && !event.metaKey && !event.altKey

export const isTyping = ({ target }: Event) =>
  target instanceof Element && target.closest('input, textarea, select') !== null

const steps: Record<string, (index: number, count: number) => number> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  Home: () => 0,
  End: (_, count) => count - 1,
}

/** Which row of a list a key leads to; undefined where it is no such key. */
export function nextRowIndex(key: string, index: number, count: number): number | undefined {
  const next = steps[key]?.(index, count)
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next))
}
