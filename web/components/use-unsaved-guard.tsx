/** Asks before the user leaves a form with unsaved changes by a link, the browser's Back button or closing the tab. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { setBackGuard } from '../lib/back-guard.ts'
import { ConfirmDialog } from './dialog.tsx'

interface UnsavedGuard {
  /** Calls `navigate` right away if nothing is unsaved, otherwise after the user confirms. */
  leave: (navigate: () => void) => void
  /** A dialog that asks the user to confirm leaving. The page must render it. */
  dialog: ComponentChildren
}

const isPlainClick = (event: MouseEvent) =>
  event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey

export function useUnsavedGuard(isDirty: boolean): UnsavedGuard {
  const [pendingNavigation, setPendingNavigation] = useState<() => void>()
  const isLeaveConfirmed = useRef(false)

  useLayoutEffect(() => {
    if (!isDirty) return
    const formUrl = location.href
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      if (link === null || link.target === '_blank' || isLeaveConfirmed.current || !isPlainClick(event)) return
      event.preventDefault()
      event.stopPropagation()
      setPendingNavigation(() => () => link.click())
    }
    // The browser has already changed the URL. Restore it before the router reads it.
    const onBack = (event: PopStateEvent) => {
      if (isLeaveConfirmed.current) return
      event.stopImmediatePropagation()
      history.pushState(null, '', formUrl)
      setPendingNavigation(() => () => history.back())
    }
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!isLeaveConfirmed.current) event.preventDefault()
    }
    document.addEventListener('click', onClick, true)
    const clearGuard = setBackGuard(onBack)
    window.addEventListener('beforeunload', onUnload)
    return () => {
      document.removeEventListener('click', onClick, true)
      clearGuard()
      window.removeEventListener('beforeunload', onUnload)
    }
  }, [isDirty])

  return {
    leave: (navigate) => (isDirty ? setPendingNavigation(() => navigate) : navigate()),
    dialog: pendingNavigation && (
      <ConfirmDialog
        title="Leave without saving?"
        action="Leave"
        onClose={() => setPendingNavigation(undefined)}
        onConfirm={async () => {
          isLeaveConfirmed.current = true
          setPendingNavigation(undefined)
          pendingNavigation()
        }}
      >
        Your changes haven't been saved and will be lost.
      </ConfirmDialog>
    ),
  }
}
