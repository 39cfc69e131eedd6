export type Theme = 'system' | 'light' | 'dark'

const STORAGE_KEY = 'belfry-theme'
const listeners = new Set<(theme: Theme) => void>()

/** Returns a function that ends the subscription. */
export function onThemeChange(listener: (theme: Theme) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function readTheme(): Theme {
  try {
    const theme = localStorage.getItem(STORAGE_KEY)
    return theme === 'light' || theme === 'dark' ? theme : 'system'
  } catch {
    // The browser may block localStorage.
    return 'system'
  }
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.setAttribute('data-theme', theme)
  applyThemeColor(theme)
}

/** Sets the colour of the title bar of the browser or the installed app. index.html has one element for each theme. */
function applyThemeColor(theme: Theme): void {
  for (const element of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    element.dataset['media'] ??= element.media
    const isChosen = element.dataset['theme'] === theme
    element.media = theme === 'system' ? element.dataset['media'] : isChosen ? 'all' : 'not all'
  }
}

export function saveTheme(theme: Theme): void {
  applyTheme(theme)
  for (const listener of listeners) listener(theme)
  try {
    if (theme === 'system') localStorage.removeItem(STORAGE_KEY)
    else localStorage.setItem(STORAGE_KEY, theme)
  } catch {}
}
