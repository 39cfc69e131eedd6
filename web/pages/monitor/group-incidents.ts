/** The Show more button adds one group of incidents. One request fetches the alerts of the whole group. */
const GROUP_SIZE = 20

/**
 * Splits incidents, which are sorted newest first, into groups. `initialNewestId` is the newest incident of the first
 * render. Incidents that start after it join the first group. All other groups keep their members, so that expanded
 * incidents stay expanded.
 */
export function groupIncidents<T extends { id: number }>(
  incidents: readonly T[],
  initialNewestId: number | undefined,
): T[][] {
  const addedCount = Math.max(
    0,
    incidents.findIndex(({ id }) => id === initialNewestId),
  )
  return Array.from({ length: Math.ceil((incidents.length - addedCount) / GROUP_SIZE) }, (_, groupIndex) =>
    incidents.slice(
      groupIndex === 0 ? 0 : addedCount + groupIndex * GROUP_SIZE,
      addedCount + (groupIndex + 1) * GROUP_SIZE,
    ),
  )
}
