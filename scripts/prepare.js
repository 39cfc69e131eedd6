// npm runs this script at the end of `npm ci`. It is plain JavaScript, so that a Node without TypeScript support doesn't make the
// installation fail. With such a Node, starting the server prints what to do.
const majorVersion = Number(process.versions.node.split('.')[0])

if (majorVersion >= 26) {
  const { spawnSync } = await import('node:child_process')
  const { join } = await import('node:path')
  const script = join(import.meta.dirname, 'build-web.ts')
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' })
  // The installation succeeds anyway: the API works without the pages, and the server tries to build them when it starts.
  if (status !== 0) console.error('The web application could not be built. Run `npm run build` to try again.')
}
