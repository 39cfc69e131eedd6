/** What the search below a group offers to add: single monitors, all monitors with a tag, or all monitors. */
import type { OverviewMonitor } from '../../lib/queries.ts'
import { countTags, hasTag, toTagKey } from '../../lib/tags.ts'
import { type EditedGroups, findMonitor } from './page-order.ts'

export interface AddOption {
  id: string
  label: string
  /** The tag whose monitors the option adds. */
  tag?: string
  /** The monitor that the option adds, if it adds only one. */
  monitor?: OverviewMonitor
  monitors: readonly OverviewMonitor[]
}

/** Nobody reads a longer list. A longer search text finds the options that aren't listed. */
const MAX_OPTIONS = 50
const MAX_TAG_OPTIONS = 5

export function listAddOptions(
  monitors: readonly OverviewMonitor[],
  groups: EditedGroups,
  searchText: string,
): AddOption[] {
  const text = searchText.trim().toLowerCase()
  const available = monitors.filter(({ id }) => findMonitor(groups, id) === undefined)
  const matches = available.filter(
    ({ friendly_name, url, tags }) =>
      `${friendly_name}\n${url}`.toLowerCase().includes(text) || tags.some((tag) => toTagKey(tag).includes(text)),
  )
  const tagOptions = countTags(available)
    .filter(({ tag, count }) => count > 1 && toTagKey(tag).includes(text))
    .slice(0, MAX_TAG_OPTIONS)
    .map(({ tag, count }) => ({
      id: `tag-${toTagKey(tag)}`,
      label: `All ${count} monitors tagged ${tag}`,
      tag,
      monitors: available.filter(({ tags }) => hasTag(tags, tag)),
    }))
  const allOption = { id: 'all', label: `All ${available.length} monitors`, monitors: available }
  return [
    ...(text === '' && available.length > 1 ? [allOption] : []),
    ...tagOptions,
    ...matches.slice(0, MAX_OPTIONS).map((monitor) => ({
      id: `monitor-${monitor.id}`,
      label: monitor.friendly_name,
      monitor,
      monitors: [monitor],
    })),
  ]
}
