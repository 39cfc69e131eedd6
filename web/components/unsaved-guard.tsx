/** Whoever leaves a form with changes is asked first: by a link, by the browser's way back, or by closing the window. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { setBackGuard } from '../lib/back-guard.ts'
import { ConfirmDialog } from './dialog.tsx'

interface Guard {
  /** Goes at once where nothing would be lost, else after a yes. */
  leave: (go: () => void) => void
  /** Has to be rendered somewhere. */
  dialog: ComponentChildren
}

const isPlainClick = (event: MouseEvent) =>
  event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey

export function useUnsavedGuard(isDirty: boolean): Guard {
  const [going, setGoing] = useState<() => void>()
  const isAllowed = useRef(false)

  useLayoutEffect(() => {
    if (!isDirty) return
    const here = location.href
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      if (link === null || link.target === '_blank' || isAllowed.current || !isPlainClick(event)) return
      event.preventDefault()
      event.stopPropagation()
      setGoing(() => () => link.click())
    }
    // The address has changed already: it is put back, before the router looks at it.
    const onBack = (event: PopStateEvent) => {
      if (isAllowed.current) return
      event.stopImmediatePropagation()
      history.pushState(null, '', here)
      setGoing(() => () => history.back())
    }
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!isAllowed.current) event.preventDefault()
    }
    document.addEventListener('click', onClick, true)
    const letBackGo = setBackGuard(onBack)
    window.addEventListener('beforeunload', onUnload)
    return () => {
      document.removeEventListener('click', onClick, true)
      letBackGo()
      window.removeEventListener('beforeunload', onUnload)
    }
  }, [isDirty])

  return {
    leave: (go) => (isDirty ? setGoing(() => go) : go()),
    dialog: going && (
      <ConfirmDialog
        title="Leave without saving?"
        action="Leave"
        onClose={() => setGoing(undefined)}
        onConfirm={async () => {
          isAllowed.current = true
          setGoing(undefined)
          going()
        }}
      >
        What you changed here is not saved and would be lost.
      </ConfirmDialog>
    ),
  }
}
