import { clearBackGuard } from './back-guard.ts'
import { basePath } from './boot.ts'

/** Not in every browser yet, and unknown to the types of some. */
interface Navigation {
  canGoBack: boolean
  currentEntry: { index: number } | null
  /** Only pages of ours, one after another up to where the reader is. */
  entries: () => { url: string | null }[]
}

const { navigation } = window as { navigation?: Navigation }

/** To where the reader came from, if that was here; else to a page of our choice. */
export function goBack(otherwise: () => void): void {
  if (navigation?.canGoBack) history.back()
  else otherwise()
}

/**
 * From pages that are over, which are those at and below a path: to the one that was before them, so that the way back
 * does not lead to them again. Where there was none, to a page of our choice, which takes the place of this one.
 */
export async function goBackPast(path: string, otherwise: () => void): Promise<void> {
  const here = navigation?.currentEntry?.index ?? 0
  const isOver = (url: string | null) =>
    `${new URL(url ?? '', location.href).pathname}/`.startsWith(`${basePath}${path}/`)
  const before = navigation?.entries().findLastIndex(({ url }, index) => index < here && !isOver(url)) ?? -1
  if (before === -1) return otherwise()
  clearBackGuard()
  const left = new Promise((resolve) => window.addEventListener('popstate', resolve, { once: true }))
  history.go(before - here)
  await left
}
