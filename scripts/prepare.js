// @ts-check
// npm runs this script at the end of `npm ci`, and before `npm pack` with --strict. It builds the pages and the server unless they are
// up to date, and collects the licenses of what they contain. It is plain JavaScript, so that a Node without TypeScript support doesn't
// make the installation fail. With such a Node, starting the server prints what to do.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const majorVersion = Number(process.versions.node.split('.')[0])
const isStrict = process.argv.includes('--strict')

/**
 * @param {string} name
 * @returns {Promise<boolean>} whether the script succeeded
 */
async function run(name) {
  const [code] = await once(spawn(process.execPath, [join(import.meta.dirname, name)], { stdio: 'inherit' }), 'exit')
  return code === 0
}

if (majorVersion >= 26) {
  const { isServerStale, isWebStale } = await import('../packaging/stale-builds.ts')
  const [hasPages, hasServer] = await Promise.all([
    isWebStale().then((isStale) => !isStale || run('build-web.ts')),
    !isServerStale() || run('build-server.ts'),
  ])
  // The installation succeeds anyway: the API works without the pages, and the server tries to build them when it starts.
  if (!hasPages) console.error('The web application could not be built. Run `npm run build` to try again.')
  // Without its bundle, the server runs from the sources.
  if (!hasServer) console.error('The server could not be bundled. Run `npm run build:server` to try again.')
  const hasLicenses = hasPages && hasServer && (await run('build-licenses.ts'))
  if (isStrict && !hasLicenses) process.exitCode = 1
} else if (isStrict) {
  console.error(`Packing Belfry needs Node 26; this is Node ${process.versions.node}. Run \`npm ci\` first.`)
  process.exitCode = 1
}
