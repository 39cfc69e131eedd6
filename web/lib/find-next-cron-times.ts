/**
 * Returns the next times of a cron expression, or an empty list if the expression isn't complete. The library is loaded
 * only when somebody types an expression. The server parses expressions in the same way.
 */
export async function findNextCronTimes(expression: string, timeZone: string, count: number): Promise<readonly Date[]> {
  const { Cron } = await import('croner')
  try {
    return new Cron(expression.trim(), { paused: true, mode: '5-part', timezone: timeZone }).nextRuns(count)
  } catch {
    return []
  }
}
