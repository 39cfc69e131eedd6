/** A page whose script is loaded when the user first opens it. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ErrorState, Loading, Skeleton } from './states.tsx'

type LoadPage<P> = () => Promise<{ default: ComponentType<P> }>

export function lazyPage<P extends object>(load: LoadPage<P>): ComponentType<P> {
  let LoadedPage: ComponentType<P> | undefined
  return function LazyPage(props: P) {
    const [, setLoaded] = useState(LoadedPage !== undefined)
    const [hasFailed, setFailed] = useState(false)
    useEffect(() => {
      if (LoadedPage !== undefined) return
      load().then(
        (module) => {
          LoadedPage = module.default
          setLoaded(true)
        },
        () => setFailed(true),
      )
    }, [])
    if (LoadedPage !== undefined) return <LoadedPage {...props} />
    return (
      <main id="content" class="page">
        {hasFailed ? (
          <LoadFailure />
        ) : (
          <Loading what="page">
            <Skeleton height="2rem" width="14rem" />
            <Skeleton height="20rem" />
          </Loading>
        )}
      </main>
    )
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
