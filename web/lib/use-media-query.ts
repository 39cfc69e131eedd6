import { useEffect, useState } from 'preact/hooks'

/** The same width at which the style sheets switch to the layout for phones. */
export const PHONE_QUERY = '(max-width: 44rem)'

/** Whether the media query matches. Re-renders when the result changes. */
export function useMediaQuery(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const list = matchMedia(query)
    const update = () => setMatches(list.matches)
    update()
    list.addEventListener('change', update)
    return () => list.removeEventListener('change', update)
  }, [query])
  return matches
}
