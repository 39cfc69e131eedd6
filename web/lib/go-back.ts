import { clearBackGuard } from './back-guard.ts'
import { basePath } from './boot.ts'

/** The part of the Navigation API that we use. Some browsers lack it, and TypeScript may lack its types. */
interface Navigation {
  canGoBack: boolean
  currentEntry: { index: number } | null
  /** The current history entry and the neighbouring entries of this site. */
  entries: () => { url: string | null }[]
}

const { navigation } = window as { navigation?: Navigation }

/** Goes back to the previous page of this site. Calls `fallback` if there is none. */
export function goBack(fallback: () => void): void {
  if (navigation?.canGoBack) history.back()
  else fallback()
}

/**
 * Goes back past every history entry at or below `path`, so that the Back button doesn't return to a page that was
 * deleted or a form that was submitted. Calls `fallback` if there is no earlier entry.
 */
export async function goBackPast(path: string, fallback: () => void): Promise<void> {
  const currentIndex = navigation?.currentEntry?.index ?? 0
  const isSkipped = (url: string | null) =>
    `${new URL(url ?? '', location.href).pathname}/`.startsWith(`${basePath}${path}/`)
  const target = navigation?.entries().findLastIndex(({ url }, index) => index < currentIndex && !isSkipped(url)) ?? -1
  if (target === -1) return fallback()
  clearBackGuard()
  const navigationDone = new Promise((resolve) => window.addEventListener('popstate', resolve, { once: true }))
  history.go(target - currentIndex)
  await navigationDone
}
