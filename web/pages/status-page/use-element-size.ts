import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'

/** The size of an element in pixels, without its borders. Re-renders when it changes. */
export function useElementSize(element: RefObject<HTMLElement>): { width: number; height: number } {
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
