// Records when each frame begins. The browser renders sixty frames a second if nothing blocks it.
globalThis.frames = []
const recordFrame = (at) => {
  globalThis.frames.push(at)
  requestAnimationFrame(recordFrame)
}
requestAnimationFrame(recordFrame)
