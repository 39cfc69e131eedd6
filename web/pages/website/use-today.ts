import { useEffect, useState } from 'preact/hooks'
import { dayIn } from './period.ts'

/** By the clock of the website; the next day begins also in a page that stays open. */
export function useToday(timeZone: string): string {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 60_000)
    return () => clearInterval(timer)
  }, [])
  return dayIn(timeZone, Date.now())
}
