import { useEffect, useState } from 'preact/hooks'
import { formatCalendarDay } from './calendar.ts'

/** Today's date in the website's time zone. Re-renders every minute, so that an open page continues on the next day. */
export function useToday(timeZone: string): string {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 60_000)
    return () => clearInterval(timer)
  }, [])
  return formatCalendarDay(timeZone, Date.now())
}
