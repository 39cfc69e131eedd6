// Notes when each frame begins from now on. The browser makes one sixty times a second as long as nothing holds it up.
globalThis.frames = []
const note = (at) => {
  globalThis.frames.push(at)
  requestAnimationFrame(note)
}
requestAnimationFrame(note)
