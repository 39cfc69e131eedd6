/** As many as are shown at once, and asked for what was sent about them together. */
const GROUP = 20

/**
 * Newest first. Those that came after the one that was the newest at first join its group: in others nothing moves, and
 * what is open stays so.
 */
export function groupsOf<T extends { id: number }>(incidents: readonly T[], newest: number | undefined): T[][] {
  const come = Math.max(
    0,
    incidents.findIndex(({ id }) => id === newest),
  )
  return Array.from({ length: Math.ceil((incidents.length - come) / GROUP) }, (_, n) =>
    incidents.slice(n === 0 ? 0 : come + n * GROUP, come + (n + 1) * GROUP),
  )
}
