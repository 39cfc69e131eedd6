/** Opens the page or runs the action that the user chose in the palette. */
import { navigate } from 'wouter-preact/use-browser-location'
import { showProblem } from '../components/toasts.tsx'
import { basePath } from '../lib/boot.ts'
import type { PaletteItem } from './items.ts'

export function runEffect(effect: PaletteItem['effect'], inNewTab: boolean): void {
  if (effect.kind === 'open') openPath(effect.path, inNewTab)
  else if (effect.kind === 'open-external') window.open(new URL(effect.url, document.baseURI), '_blank', 'noopener')
  else if (effect.kind === 'run') void Promise.try(effect.run).catch(showProblem)
}

function openPath(path: string, inNewTab: boolean): void {
  const href = `${basePath}${path}`
  if (inNewTab) {
    window.open(href, '_blank', 'noopener')
    return
  }
  // A form with unsaved changes intercepts clicks on links, so this is one.
  const link = document.createElement('a')
  link.href = href
  link.addEventListener('click', (event) => {
    event.preventDefault()
    // Without a focused element, the new page moves the focus to its heading.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    navigate(href)
  })
  document.body.append(link)
  link.click()
  link.remove()
}
