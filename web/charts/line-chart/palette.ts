/** The system has a few colours of its own, and takes no others. */
export const FORCED_COLOURS = '(forced-colors: active)'

/** A canvas knows no variables of CSS: what they come to, here and in the theme of now. */
export interface Palette {
  colour: (variable: string) => string
  /** The same colour, hardly there. */
  tint: (variable: string) => string
  /** After the theme has changed. */
  forget: () => void
}

export function makePalette(place: HTMLElement): Palette {
  const known = new Map<string, string>()
  const resolve = (css: string) => {
    const found = known.get(css)
    if (found !== undefined) return found
    const probe = document.createElement('span')
    probe.style.color = css
    // Where the system has colours of its own, all of ours would come to the same one.
    probe.style.setProperty('forced-color-adjust', 'none')
    place.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    known.set(css, color)
    return color
  }
  return {
    colour: (variable) => resolve(`var(${variable})`),
    tint: (variable) => resolve(`color-mix(in srgb, var(${variable}) 13%, transparent)`),
    forget: () => known.clear(),
  }
}

/** Chosen in the page, or changed by the system. */
export function watchTheme(onChange: () => void): () => void {
  const chosen = new MutationObserver(onChange)
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const system = ['(prefers-color-scheme: dark)', FORCED_COLOURS].map((query) => matchMedia(query))
  for (const list of system) list.addEventListener('change', onChange)
  return () => {
    chosen.disconnect()
    for (const list of system) list.removeEventListener('change', onChange)
  }
}
