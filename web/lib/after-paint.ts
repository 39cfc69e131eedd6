/**
 * Calls `callback` this long after the browser has drawn what was rendered last, however long that takes. Returns a function that
 * cancels the call.
 */
export function afterPaint(callback: () => void, delayMs: number): () => void {
  let timer: number | undefined
  let frame = 0
  const startTimer = () => {
    timer = window.setTimeout(callback, delayMs)
  }
  // Browsers draw nothing while the tab is hidden.
  if (document.hidden) startTimer()
  // The second frame begins when the browser has drawn the first.
  else frame = requestAnimationFrame(() => (frame = requestAnimationFrame(startTimer)))
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}
