import { useEffect, useState } from 'preact/hooks'

/** People who type pause for less time than this between two keys. */
const DEBOUNCE_MS = 300

/** Returns the text once the user has stopped typing. */
export function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return debounced
}
