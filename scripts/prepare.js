// npm runs this at the end of `npm ci`. In plain JavaScript: a Node that cannot read TypeScript must not make the
// installation fail; whoever has it is told what to do when they start the server.
const major = Number(process.versions.node.split('.')[0])

if (major >= 26) {
  const { spawnSync } = await import('node:child_process')
  const { join } = await import('node:path')
  const script = join(import.meta.dirname, 'build-web.ts')
  const { status } = spawnSync(process.execPath, [script], { stdio: 'inherit' })
  // The API works without; the server tries again and says so.
  if (status !== 0) console.error('The web application could not be built. `npm run build` tries again.')
}
