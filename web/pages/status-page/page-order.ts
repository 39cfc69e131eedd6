/**
 * The groups and monitors of a status page while somebody edits them. All functions return new lists and leave the
 * given lists unchanged.
 */
import { MAX_GROUPS, MAX_LABEL_LENGTH } from '../../../src/shared/status-pages.ts'

export interface EditedMonitor {
  monitorId: number
  label: string
}

export interface EditedGroup {
  /** Identifies the group while it is renamed and moved. The server doesn't get this key. */
  key: number
  name: string
  monitors: readonly EditedMonitor[]
}

export type EditedGroups = readonly EditedGroup[]

/** What can be moved: a monitor, or a group with its monitors. */
export type Movable = { kind: 'monitor'; monitorId: number } | { kind: 'group'; key: number }

export interface MonitorPlace {
  groupIndex: number
  /** The position among the monitors of the group. */
  index: number
}

export function findMonitor(groups: EditedGroups, monitorId: number): MonitorPlace | undefined {
  for (const [groupIndex, { monitors }] of groups.entries()) {
    const index = monitors.findIndex((monitor) => monitor.monitorId === monitorId)
    if (index !== -1) return { groupIndex, index }
  }
  return undefined
}

export const findGroupIndex = (groups: EditedGroups, key: number) => groups.findIndex((group) => group.key === key)

/** `place.index` is the position among the other monitors of the group. */
export function placeMonitor(groups: EditedGroups, monitorId: number, place: MonitorPlace): EditedGroups {
  const from = findMonitor(groups, monitorId)
  const monitor = from && groups[from.groupIndex]?.monitors[from.index]
  if (monitor === undefined) return groups
  return removeMonitor(groups, monitorId).map((group, groupIndex) =>
    groupIndex === place.groupIndex ? { ...group, monitors: group.monitors.toSpliced(place.index, 0, monitor) } : group,
  )
}

/** `index` is the position among the other groups. */
export function placeGroup(groups: EditedGroups, key: number, index: number): EditedGroups {
  const from = findGroupIndex(groups, key)
  const group = groups[from]
  return group === undefined ? groups : groups.toSpliced(from, 1).toSpliced(index, 0, group)
}

/**
 * Moves an item by one place. At the edge of its group, a monitor moves into the neighbouring group. At the edge of the
 * page, nothing changes.
 */
export function moveByStep(groups: EditedGroups, item: Movable, step: -1 | 1): EditedGroups {
  if (item.kind === 'group') {
    const index = findGroupIndex(groups, item.key) + step
    return index < 0 || index >= groups.length ? groups : placeGroup(groups, item.key, index)
  }
  const from = findMonitor(groups, item.monitorId)
  if (from === undefined) return groups
  const { groupIndex, index } = from
  const nextIndex = index + step
  if (nextIndex >= 0 && nextIndex < (groups[groupIndex]?.monitors.length ?? 0)) {
    return placeMonitor(groups, item.monitorId, { groupIndex, index: nextIndex })
  }
  const neighbor = groups[groupIndex + step]
  if (neighbor === undefined) return groups
  return placeMonitor(groups, item.monitorId, {
    groupIndex: groupIndex + step,
    index: step === 1 ? 0 : neighbor.monitors.length,
  })
}

export function removeMonitor(groups: EditedGroups, monitorId: number): EditedGroups {
  return groups.map((group) => ({
    ...group,
    monitors: group.monitors.filter((monitor) => monitor.monitorId !== monitorId),
  }))
}

/** Appends the monitors that aren't on the page yet. Their names become their labels. */
export function addMonitors(
  groups: EditedGroups,
  key: number,
  monitors: readonly { id: number; friendly_name: string }[],
): EditedGroups {
  const addedMonitors = monitors
    .filter(({ id }) => findMonitor(groups, id) === undefined)
    .map(({ id, friendly_name }) => ({ monitorId: id, label: friendly_name.slice(0, MAX_LABEL_LENGTH) }))
  return groups.map((group) =>
    group.key === key ? { ...group, monitors: [...group.monitors, ...addedMonitors] } : group,
  )
}

export function setLabel(groups: EditedGroups, monitorId: number, label: string): EditedGroups {
  return groups.map((group) => ({
    ...group,
    monitors: group.monitors.map((monitor) => (monitor.monitorId === monitorId ? { ...monitor, label } : monitor)),
  }))
}

export const renameGroup = (groups: EditedGroups, key: number, name: string): EditedGroups =>
  groups.map((group) => (group.key === key ? { ...group, name } : group))

export const removeGroup = (groups: EditedGroups, key: number): EditedGroups =>
  groups.filter((group) => group.key !== key)

export const canAddGroup = (groups: EditedGroups) => groups.length < MAX_GROUPS

/** Appends an empty group whose name no other group has. */
export function addGroup(groups: EditedGroups): EditedGroups {
  const names = new Set(groups.map(({ name }) => name))
  let number = groups.length + 1
  while (names.has(`Group ${number}`)) number += 1
  const key = Math.max(0, ...groups.map((group) => group.key)) + 1
  return [...groups, { key, name: `Group ${number}`, monitors: [] }]
}

/** For screen readers: "Shop, 2 of 3 in Website." */
export function describePlace(groups: EditedGroups, item: Movable): string {
  if (item.kind === 'group') {
    const index = findGroupIndex(groups, item.key)
    return `${groups[index]?.name}, ${index + 1} of ${groups.length}.`
  }
  const place = findMonitor(groups, item.monitorId)
  const group = place && groups[place.groupIndex]
  if (place === undefined || group === undefined) return ''
  const { label } = group.monitors[place.index] as EditedMonitor
  return `${label}, ${place.index + 1} of ${group.monitors.length} in ${group.name}.`
}
