/** Incidents shown per step of "Show more". One request fetches the alerts of a group. */
const GROUP_SIZE = 20

/**
 * Splits incidents, newest first. Incidents newer than `initialNewestId`, the newest one on the first render, join the
 * first group. The other groups keep their members, so that expanded incidents stay expanded.
 */
export function groupIncidents<T extends { id: number }>(
  incidents: readonly T[],
  initialNewestId: number | undefined,
): T[][] {
  const addedCount = Math.max(
    0,
    incidents.findIndex(({ id }) => id === initialNewestId),
  )
  return Array.from({ length: Math.ceil((incidents.length - addedCount) / GROUP_SIZE) }, (_, n) =>
    incidents.slice(n === 0 ? 0 : addedCount + n * GROUP_SIZE, addedCount + (n + 1) * GROUP_SIZE),
  )
}
