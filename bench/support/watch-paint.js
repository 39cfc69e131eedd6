// Runs in a page before anything of its own: notes when the first row of a list comes into the document, and when the
// browser has painted its name (Element Timing, which says when the frame was presented).
globalThis.seen = { inserted: 0 }

const rows = new MutationObserver(() => {
  const name = document.querySelector('.virtual-list > li [data-row-focus]')
  if (name === null) return
  globalThis.seen.inserted ||= performance.now()
  // In time: mutations are told of before the next frame. Again and again, because another row may become the first before it.
  if (!name.hasAttribute('elementtiming')) name.setAttribute('elementtiming', 'first-row')
})
rows.observe(document, { childList: true, subtree: true })

globalThis.painted = new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const row = list.getEntries().find(({ identifier }) => identifier === 'first-row')
    if (row === undefined) return
    rows.disconnect()
    resolve(row.renderTime)
  }).observe({ type: 'element', buffered: true })
})
