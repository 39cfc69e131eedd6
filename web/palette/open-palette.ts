/** Opens the command palette. Most visits don't need it, so its script is loaded on first use. */

import { isSignedIn } from '../lib/boot.ts'
import { isApplePlatform } from '../lib/shortcuts.ts'
import { showProblem } from '../lib/toasts.ts'

/** How the shortcut is written on this machine. */
export const paletteShortcutLabel = isApplePlatform ? '⌘K' : 'Ctrl K'

const loadPalette = () => import('./palette.tsx')

export function openPalette(): void {
  loadPalette().then(({ showPalette }) => showPalette(), showProblem)
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
