/** A page whose script is loaded when somebody goes there. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ErrorState, Loading, Skeleton } from './states.tsx'

type Load<P> = () => Promise<{ default: ComponentType<P> }>

export function lazyPage<P extends object>(load: Load<P>): ComponentType<P> {
  let Loaded: ComponentType<P> | undefined
  return function LazyPage(props: P) {
    const [, setLoaded] = useState(Loaded !== undefined)
    const [error, setError] = useState<unknown>()
    useEffect(() => {
      if (Loaded !== undefined) return
      load().then(
        (module) => {
          Loaded = module.default
          setLoaded(true)
        },
        // After an upgrade the parts of the old application are gone: loading the page brings the new one.
        () => setError(new Error('This page could not be loaded. There may be a new version.')),
      )
    }, [])
    if (Loaded !== undefined) return <Loaded {...props} />
    return (
      <main id="content" class="page">
        {error === undefined ? (
          <Loading what="the page">
            <Skeleton height="2rem" width="14rem" />
            <Skeleton height="20rem" />
          </Loading>
        ) : (
          <ErrorState error={error} retry={() => location.reload()} />
        )}
      </main>
    )
  }
}
