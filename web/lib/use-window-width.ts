import { useEffect, useState } from 'preact/hooks'

/** The width of the page in pixels, without the scroll bar. */
export function useWindowWidth(): number {
  const [width, setWidth] = useState(() => document.documentElement.clientWidth)
  useEffect(() => {
    const update = () => setWidth(document.documentElement.clientWidth)
    window.addEventListener('resize', update)
    return () => window.removeEventListener('resize', update)
  }, [])
  return width
}
