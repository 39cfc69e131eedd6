import { useEffect, useState } from 'preact/hooks'

/** As long as a pause between two keys. */
const PAUSE_MS = 300

/** What is being typed, once nobody has typed for a moment. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
