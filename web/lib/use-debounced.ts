import { useEffect, useState } from 'preact/hooks'

/** Between two keystrokes, people usually pause for less time than this. */
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
