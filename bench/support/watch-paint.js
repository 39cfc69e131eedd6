// Runs in a page before anything of its own: notes when the first row of a list comes into the document, and when the
// browser has painted its name (Element Timing, which says when the frame was presented).
globalThis.seen = { inserted: 0 }

new MutationObserver((_changes, observer) => {
  const name = document.querySelector('.virtual-list > li [data-row-focus]')
  if (name === null) return
  observer.disconnect()
  // In time: mutations are told of before the next frame.
  name.setAttribute('elementtiming', 'first-row')
  globalThis.seen.inserted = performance.now()
}).observe(document, { childList: true, subtree: true })

globalThis.painted = new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const row = list.getEntries().find(({ identifier }) => identifier === 'first-row')
    if (row !== undefined) resolve(row.renderTime)
  }).observe({ type: 'element', buffered: true })
})
