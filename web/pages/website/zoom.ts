/**
 * Zooming into a part of the chart. The browser's history stores the views from before each zoom, so that the user can zoom out
 * even after changing something else or reloading the page.
 */
import type { DayRange } from './calendar.ts'
import type { ChangeView, WebsiteView } from './view.ts'

type ZoomedView = Pick<WebsiteView, 'period' | 'from' | 'to' | 'interval'>

export interface ZoomState {
  /** The views that the user has zoomed into, outermost first. */
  zoomedViews: readonly ZoomedView[]
}

export const readZoomState = (): ZoomState => ({
  zoomedViews: (history.state as Partial<ZoomState> | null)?.zoomedViews ?? [],
})

export const canZoomOut = () => readZoomState().zoomedViews.length > 0

export function zoomIn({ period, from, to, interval }: WebsiteView, range: DayRange, changeView: ChangeView): void {
  const zoomedViews = [...readZoomState().zoomedViews, { period, from, to, interval }]
  changeView({ period: undefined, interval: undefined, ...range }, { zoomedViews })
}

export function zoomOut(changeView: ChangeView): void {
  const { zoomedViews } = readZoomState()
  const view = zoomedViews.at(-1)
  if (view !== undefined) changeView(view, { zoomedViews: zoomedViews.slice(0, -1) })
}
