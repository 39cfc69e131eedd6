/** Calls `callback` `delayMs` after the next paint. Returns a function that cancels the call. */
export function afterPaint(callback: () => void, delayMs: number): () => void {
  let timer: number | undefined
  let frame = 0
  const startTimer = () => {
    timer = window.setTimeout(callback, delayMs)
  }
  // A hidden tab isn't painted.
  if (document.hidden) startTimer()
  // The second frame begins after the paint of the first.
  else frame = requestAnimationFrame(() => (frame = requestAnimationFrame(startTimer)))
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}
