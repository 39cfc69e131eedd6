/**
 * Shows the saved page, or posts a draft, in a frame. Each content gets a frame of its own, which replaces the previous frame once it has
 * loaded, so that nothing flickers. The first page of a frame adds no entry to the history, so the Back button still leaves the editor.
 */

import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Skeleton } from '../../components/states.tsx'
import { useDebounced } from '../../lib/use-debounced.ts'

interface PreviewFrameProps {
  /** The path of a preview, or a draft as JSON: see `toPreviewDraft`. */
  content: string
  /** In CSS pixels. */
  width: number
  isPhone: boolean
}

const isDraft = (content: string) => content.startsWith('{')

/** A frame that is loading. */
interface PendingPreview {
  id: string
  content: string
}

export function PreviewFrame({ content, width, isPhone }: PreviewFrameProps) {
  const debouncedContent = useDebounced(content)
  const [attempt, setAttempt] = useState(0)
  const [shown, setShown] = useState<PendingPreview>()
  // The first frame is part of the first render, so that its request is sent immediately.
  const [pending, setPending] = useState<PendingPreview | undefined>({ id: 'preview-1', content })
  const [hasFailed, setFailed] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const lastRequest = useRef({ number: 1, content, attempt })
  const shownFrame = useRef<HTMLIFrameElement>(null)
  const area = useRef<HTMLDivElement>(null)
  const size = useElementSize(area)

  useEffect(() => {
    const { number, ...last } = lastRequest.current
    if (last.content === debouncedContent && last.attempt === attempt) return
    lastRequest.current = { number: number + 1, content: debouncedContent, attempt }
    setPending({ id: `preview-${number + 1}`, content: debouncedContent })
  }, [debouncedContent, attempt])
  useLayoutEffect(() => {
    if (pending !== undefined && isDraft(pending.content)) form.current?.submit()
  }, [pending])

  function onLoad(preview: PendingPreview, frame: HTMLIFrameElement) {
    // The load event of a new frame also fires for its initial empty page.
    const document = readDocument(frame)
    if (preview !== pending || document?.URL === 'about:blank') return
    const isPage = document?.querySelector('main') != null
    setFailed(!isPage)
    setPending(undefined)
    if (!isPage) return
    document.addEventListener('click', ignoreLinks)
    frame.contentWindow?.scrollTo(0, shownFrame.current?.contentWindow?.scrollY ?? 0)
    setShown(preview)
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
      <form ref={form} method="post" action="api/status-pages/preview" target={pending?.id} hidden>
        <input type="hidden" name="draft" value={pending?.content} />
      </form>
      {[shown, pending].map(
        (preview) =>
          preview !== undefined && (
            <iframe
              key={preview.id}
              ref={preview === shown ? shownFrame : null}
              name={preview.id}
              src={isDraft(preview.content) ? undefined : preview.content}
              class={preview === shown ? 'preview-shown' : undefined}
              title={preview === shown ? 'Preview of the status page' : 'Next preview'}
              aria-hidden={preview === shown ? undefined : 'true'}
              tabIndex={preview === shown ? 0 : -1}
              // The sandbox blocks scripts and forms, so the page doesn't refresh itself. `allow-same-origin` lets the
              // editor copy the scroll position to the next frame.
              sandbox="allow-same-origin"
              onLoad={(event) => onLoad(preview, event.currentTarget)}
            />
          ),
      )}
      {shown === undefined && !hasFailed && <PreviewSkeleton />}
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

/** Has the outlines of a status page: its top, its state and its monitors. */
function PreviewSkeleton() {
  return (
    <div class="preview-skeleton">
      <Skeleton height="2rem" width="40%" />
      <Skeleton height="5rem" />
      <Skeleton height="10rem" />
      <Skeleton height="10rem" />
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
