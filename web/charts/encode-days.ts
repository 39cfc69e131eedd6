/** Encodes days as a text that `parseUptimeDays` parses, like the overview's `days`. */
interface Day {
  uptime_percent: number | null
  downtime_seconds: number
  incidents: number
  monitored_seconds: number
}

export function encodeDays(days: readonly Day[]): string {
  const runs: [first: number, last: number][] = []
  for (const [index, { uptime_percent }] of days.entries()) {
    if (uptime_percent === null) continue
    const lastRun = runs.at(-1)
    if (lastRun?.[1] === index - 1) lastRun[1] = index
    else runs.push([index, index])
  }
  const downDays = days.flatMap(({ downtime_seconds, incidents, monitored_seconds }, index) =>
    downtime_seconds === 0 ? [] : `${index}:${downtime_seconds}:${incidents}:${monitored_seconds}`,
  )
  return [runs.map((run) => run.join('-')).join(), ...(downDays.length === 0 ? [] : [downDays.join()])].join(';')
}
