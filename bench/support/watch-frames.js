// Records when each frame begins. The browser makes sixty a second if nothing blocks it.
globalThis.frames = []
const note = (at) => {
  globalThis.frames.push(at)
  requestAnimationFrame(note)
}
requestAnimationFrame(note)
