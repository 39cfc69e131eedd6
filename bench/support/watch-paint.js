// Runs before the page's own scripts. Records when the first row of a list enters the document, and when the browser has
// painted the name in that row (Element Timing reports when the frame was presented).
globalThis.rowInsertedMs = 0

const rowObserver = new MutationObserver(() => {
  const name = document.querySelector('.virtual-list > li [data-row-focus]')
  if (name === null) return
  globalThis.rowInsertedMs ||= performance.now()
  // A mutation observer runs before the row is painted, so the attribute is set in time. The observer stays active until a
  // row has been painted, because another row may become the first before that.
  if (!name.hasAttribute('elementtiming')) name.setAttribute('elementtiming', 'first-row')
})
rowObserver.observe(document, { childList: true, subtree: true })

globalThis.painted = new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const row = list.getEntries().find(({ identifier }) => identifier === 'first-row')
    if (row === undefined) return
    rowObserver.disconnect()
    resolve(row.renderTime)
  }).observe({ type: 'element', buffered: true })
})

// Tasks that block the page for more than 50 ms.
globalThis.longTasks = []
new PerformanceObserver((list) => globalThis.longTasks.push(...list.getEntries())).observe({
  type: 'longtask',
  buffered: true,
})
// Resolves when every row has arrived and is rendered. Until then, some figures above the list are placeholders.
globalThis.complete = new Promise((resolve) => {
  const check = () => {
    const isWaiting =
      document.querySelector('.virtual-list > li') === null || document.querySelector('.overview-card-wait')
    if (isWaiting) requestAnimationFrame(check)
    else setTimeout(() => resolve(performance.now()))
  }
  requestAnimationFrame(check)
})
