/** A page whose script is loaded when somebody goes there. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ErrorState, Loading, Skeleton } from './states.tsx'

type Load<P> = () => Promise<{ default: ComponentType<P> }>

export function lazyPage<P extends object>(load: Load<P>): ComponentType<P> {
  let Loaded: ComponentType<P> | undefined
  return function LazyPage(props: P) {
    const [, setLoaded] = useState(Loaded !== undefined)
    const [isFailed, setFailed] = useState(false)
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
    return (
      <main id="content" class="page">
        {isFailed ? (
          <NotLoaded />
        ) : (
          <Loading what="the page">
            <Skeleton height="2rem" width="14rem" />
            <Skeleton height="20rem" />
          </Loading>
        )}
      </main>
    )
  }
}

const AGAIN_MS = 3_000

/** The server is away, and we wait for it; or it is another one, after an upgrade, and the parts of this application are gone. */
function NotLoaded() {
  const [isAway, setAway] = useState(false)
  useEffect(() => {
    const look = () =>
      fetch(new URL('healthz', document.baseURI)).then(
        () => location.reload(),
        () => setAway(true),
      )
    const timer = setInterval(look, AGAIN_MS)
    return () => clearInterval(timer)
  }, [])
  const text = isAway
    ? 'The server cannot be reached. The page comes as soon as it can.'
    : 'The page could not be loaded.'
  return <ErrorState error={new Error(text)} retry={() => location.reload()} />
}
