/** Pages, and parts of pages, whose script is loaded when the user first sees them. */
import type { ComponentChildren, ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ErrorState, Loading, Skeleton } from './states.tsx'

type LoadComponent<P> = () => Promise<{ default: ComponentType<P> }>

export function lazyPage<P extends object>(load: LoadComponent<P>): ComponentType<P> {
  return createLazy(load, (content) => (
    <main id="content" class="page">
      {content ?? (
        <Loading what="page">
          <Skeleton height="2rem" width="14rem" />
          <Skeleton height="20rem" />
        </Loading>
      )}
    </main>
  ))
}

/**
 * `height` is about that of the part, so that the page hardly moves when the script has loaded. Without it, nothing is
 * shown until then.
 */
export function lazyPart<P extends object>(load: LoadComponent<P>, height?: string): ComponentType<P> {
  return createLazy(load, (content) => content ?? (height === undefined ? null : <Skeleton height={height} />))
}

/** Until the script has loaded, shows what `wrap` returns for undefined; if it can't be loaded, for a message. */
function createLazy<P extends object>(
  load: LoadComponent<P>,
  wrap: (content: ComponentChildren) => ComponentChildren,
): ComponentType<P> {
  let Loaded: ComponentType<P> | undefined
  return function Lazy(props: P) {
    const [, setLoaded] = useState(Loaded !== undefined)
    const [hasFailed, setFailed] = useState(false)
    useEffect(() => {
      if (Loaded !== undefined) return
      load().then(
        (module) => {
          Loaded = module.default
          setLoaded(true)
        },
        () => setFailed(true),
      )
    }, [])
    if (Loaded !== undefined) return <Loaded {...props} />
    return <>{wrap(hasFailed ? <LoadFailure /> : undefined)}</>
  }
}

const RETRY_MS = 3_000

/**
 * Either the server is unreachable, or it was upgraded and no longer has this version's scripts. A reload fixes both once
 * the server responds.
 */
function LoadFailure() {
  const [isUnreachable, setUnreachable] = useState(false)
  useEffect(() => {
    const reloadWhenReachable = () =>
      fetch(new URL('healthz', document.baseURI)).then(
        () => location.reload(),
        () => setUnreachable(true),
      )
    const timer = setInterval(reloadWhenReachable, RETRY_MS)
    return () => clearInterval(timer)
  }, [])
  const text = isUnreachable
    ? "Can't reach the server. This page loads automatically when it's back."
    : "This page couldn't be loaded."
  return <ErrorState error={new Error(text)} retry={() => location.reload()} />
}
