/** Opens the command palette. Most visits don't need it, so its script is loaded on first use. */

import { isSignedIn } from '../lib/boot.ts'
import { hasModifier, isApplePlatform } from '../lib/shortcuts.ts'
import { showProblem } from '../lib/toasts.ts'

/** How the shortcut is written on this machine. */
export const paletteShortcutLabel = isApplePlatform ? '⌘K' : 'Ctrl K'

const loadPalette = () => import('./palette.tsx')

let isOpening = false

/** The user may already type while the script loads. These keys are for the palette, not for the page. */
export function openPalette(): void {
  if (isOpening) return
  isOpening = true
  const keys: string[] = []
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing || hasModifier(event) || !/^(?:.|Backspace|Enter|Escape)$/u.test(event.key)) return
    // The key that opened the palette may still be pressed.
    if (!event.repeat) keys.push(event.key)
    event.preventDefault()
    event.stopPropagation()
  }
  document.addEventListener('keydown', onKeyDown, true)
  loadPalette()
    .then(({ showPalette }) => showPalette(keys))
    .catch(showProblem)
    .finally(() => {
      document.removeEventListener('keydown', onKeyDown, true)
      isOpening = false
    })
}

/** Ctrl or ⌘ K opens the palette, and closes it again. */
export function addPaletteShortcut(): void {
  if (!isSignedIn) return
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || event.ctrlKey === event.metaKey || event.altKey || event.shiftKey) return
    // Browsers use this shortcut for their address bar.
    event.preventDefault()
    const dialog = document.querySelector('dialog[open]')
    if (dialog === null) openPalette()
    else if (dialog.matches('.palette')) loadPalette().then(({ hidePalette }) => hidePalette(), showProblem)
  })
}
