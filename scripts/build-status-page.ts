/**
 * npm run build:status-page: builds page.js and page.min.css of status-page/. The results are committed, so that the server needs no
 * build step.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { minify, transformWithOxc } from 'vite'

const folder = join(import.meta.dirname, '..', 'status-page')
/** The order matters: later rules override earlier ones. */
const styleFiles = ['tokens', 'base', 'layout', 'monitors', 'bars', 'posts', 'forms', 'narrow'].map(
  (name) => `${name}.css`,
)

export async function buildStatusPage(): Promise<{ script: string; style: string }> {
  const source = join(folder, 'page.ts')
  const { code } = await transformWithOxc(await readFile(source, 'utf8'), source, {
    target: 'es2022',
    sourcemap: false,
  })
  const { code: script } = await minify('page.js', `(()=>{${code}})()`, {
    module: false,
    compress: { target: 'es2022' },
    mangle: true,
  })
  const styles = await Promise.all(styleFiles.map((name) => readFile(join(folder, 'styles', name), 'utf8')))
  return { script: script.trim(), style: minifyStyle(styles.join('\n')) }
}

/**
 * Removing these spaces is safe only because the style sheet has no strings with spaces, and no `:` after a space in a
 * selector.
 */
function minifyStyle(css: string): string {
  return css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}')
    .trim()
}

if (import.meta.main) {
  const { script, style } = await buildStatusPage()
  await writeFile(join(folder, 'page.js'), script)
  await writeFile(join(folder, 'page.min.css'), style)
  for (const [name, code] of Object.entries({ script, style })) {
    console.log(`${name}: ${code.length} bytes, ${gzipSync(code, { level: 9 }).length} bytes gzipped`)
  }
}
