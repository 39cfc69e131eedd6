/**
 * Posts the draft into a frame. Each draft gets a frame of its own, which replaces the previous frame once it has
 * loaded, so that nothing flickers. The first page of a frame adds no entry to the history, so the Back button still
 * leaves the editor.
 */

import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Skeleton } from '../../components/states.tsx'
import { useDebounced } from '../../lib/use-debounced.ts'

interface PreviewFrameProps {
  draft: string
  /** In CSS pixels. */
  width: number
  isPhone: boolean
}

export function PreviewFrame({ draft, width, isPhone }: PreviewFrameProps) {
  const debouncedDraft = useDebounced(draft)
  const [attempt, setAttempt] = useState(0)
  const [shownId, setShownId] = useState<string>()
  const [pendingId, setPendingId] = useState<string>()
  const [hasFailed, setFailed] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const lastId = useRef(0)
  const shownFrame = useRef<HTMLIFrameElement>(null)
  const area = useRef<HTMLDivElement>(null)
  const size = useElementSize(area)

  useEffect(() => {
    lastId.current += 1
    setPendingId(`preview-${lastId.current}`)
  }, [debouncedDraft, attempt])
  useEffect(() => {
    if (pendingId !== undefined) form.current?.submit()
  }, [pendingId])

  function onLoad(id: string, frame: HTMLIFrameElement) {
    // The load event of a new frame also fires for its initial empty page.
    const document = readDocument(frame)
    if (id !== pendingId || document?.URL === 'about:blank') return
    const isPage = document?.querySelector('main') != null
    setFailed(!isPage)
    setPendingId(undefined)
    if (!isPage) return
    document.addEventListener('click', ignoreLinks)
    frame.contentWindow?.scrollTo(0, shownFrame.current?.contentWindow?.scrollY ?? 0)
    setShownId(id)
  }

  // The phone preview isn't scaled. In a narrow window, it is only as wide as the window allows.
  const frameWidth = isPhone ? Math.min(width, size.width) : Math.max(width, size.width)
  const scale = size.width === 0 ? 1 : Math.min(1, size.width / frameWidth)
  const style = {
    '--frame-width': `${frameWidth}px`,
    '--frame-height': `${size.height / scale}px`,
    '--frame-scale': `${scale}`,
  }
  return (
    <div class={`preview-area${isPhone ? ' preview-phone' : ''}`} ref={area} style={style}>
      <form ref={form} method="post" action="api/status-pages/preview" target={pendingId} hidden>
        <input type="hidden" name="draft" value={debouncedDraft} />
      </form>
      {[shownId, pendingId].map(
        (id) =>
          id !== undefined && (
            <iframe
              key={id}
              ref={id === shownId ? shownFrame : null}
              name={id}
              class={id === shownId ? 'preview-shown' : undefined}
              title={id === shownId ? 'Preview of the status page' : 'Next preview'}
              aria-hidden={id === shownId ? undefined : 'true'}
              tabIndex={id === shownId ? 0 : -1}
              // The sandbox blocks scripts and forms, so the page doesn't refresh itself. `allow-same-origin` lets the
              // editor copy the scroll position to the next frame.
              sandbox="allow-same-origin"
              onLoad={(event) => onLoad(id, event.currentTarget)}
            />
          ),
      )}
      {shownId === undefined && !hasFailed && <Skeleton height="100%" />}
      {hasFailed && (
        <div class="preview-failed notice notice-warn" role="status">
          The preview couldn't be loaded.
          <Button small onClick={() => setAttempt((count) => count + 1)}>
            Try again
          </Button>
        </div>
      )}
    </div>
  )
}

/** A clicked link would replace the preview in its frame, so clicks on links do nothing. */
function ignoreLinks(event: Event): void {
  if ((event.target as Element | null)?.closest('a')) event.preventDefault()
}

/** Null if the frame shows the error page of the browser, which belongs to another origin. */
function readDocument(frame: HTMLIFrameElement): Document | null {
  try {
    return frame.contentDocument
  } catch {
    return null
  }
}

/** The size of an element in pixels, without its borders. Re-renders when it changes. */
function useElementSize(element: RefObject<HTMLElement>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const target = element.current
    if (target === null) return
    const update = () => setSize({ width: target.clientWidth, height: target.clientHeight })
    update()
    const observer = new ResizeObserver(update)
    observer.observe(target)
    return () => observer.disconnect()
  }, [element])
  return size
}
