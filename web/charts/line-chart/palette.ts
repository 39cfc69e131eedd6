/** Matches high-contrast modes, in which the operating system replaces the page's colours with a small palette. */
export const FORCED_COLOURS_QUERY = '(forced-colors: active)'

/** Resolves CSS variables to colours for the canvas, which can't use variables. */
export interface Palette {
  getColour: (variable: string) => string
  /** The same as `getColour`, but almost transparent. */
  getTint: (variable: string) => string
  /** Clears cached colours. Call after the theme changes. */
  reset: () => void
}

export function createPalette(element: HTMLElement): Palette {
  const cache = new Map<string, string>()
  const resolve = (css: string) => {
    const cached = cache.get(css)
    if (cached !== undefined) return cached
    const probe = document.createElement('span')
    probe.style.color = css
    // Without this, forced colours would turn every variable into the same system colour.
    probe.style.setProperty('forced-color-adjust', 'none')
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    cache.set(css, color)
    return color
  }
  return {
    getColour: (variable) => resolve(`var(${variable})`),
    getTint: (variable) => resolve(`color-mix(in srgb, var(${variable}) 13%, transparent)`),
    reset: () => cache.clear(),
  }
}

/** Calls `onChange` when the user picks another theme or the system changes its colour scheme. */
export function watchTheme(onChange: () => void): () => void {
  const themeObserver = new MutationObserver(onChange)
  themeObserver.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const mediaQueries = ['(prefers-color-scheme: dark)', FORCED_COLOURS_QUERY].map((query) => matchMedia(query))
  for (const mediaQuery of mediaQueries) mediaQuery.addEventListener('change', onChange)
  return () => {
    themeObserver.disconnect()
    for (const mediaQuery of mediaQueries) mediaQuery.removeEventListener('change', onChange)
  }
}
