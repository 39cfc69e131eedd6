/** The request for the rows at the top of the overview. */
import { readCollapsedIds } from './collapsed-groups.ts'
import { browserTimeZone } from './format.ts'

/** No row of the overview has a smaller height at the browser's default font size, see row-layout.ts. */
const MIN_ROW_HEIGHT_PX = 54
/** For users who scroll before the other rows have arrived. */
const EXTRA_ROWS = 10
const MAX_REQUESTED_ROWS = 100

/** A few more than fit into the window. If groups are collapsed, the maximum, because the page doesn't know yet how many rows they hide. */
function countFirstRows(): number {
  if (readCollapsedIds().size > 0) return MAX_REQUESTED_ROWS
  return Math.min(MAX_REQUESTED_ROWS, Math.ceil(window.innerHeight / MIN_ROW_HEIGHT_PX) + EXTRA_ROWS)
}

let firstOverviewPath: string | undefined

/** Returns the same path each time, because the request is sent before the component that uses its response is rendered. */
export function getFirstOverviewPath(): string {
  firstOverviewPath ??= `api/overview?time_zone=${encodeURIComponent(browserTimeZone)}&limit=${countFirstRows()}`
  return firstOverviewPath
}
