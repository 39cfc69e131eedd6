/** npm run build:tracker: builds tracker/b.js from tracker/b.ts. The result is committed, so that the server needs no build step. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { minify, transformWithOxc } from 'vite'

const folder = join(import.meta.dirname, '..', 'tracker')

export async function buildTracker(): Promise<string> {
  const source = join(folder, 'b.ts')
  const { code } = await transformWithOxc(await readFile(source, 'utf8'), source, {
    target: 'es2021',
    sourcemap: false,
  })
  const minifiedFile = await minify('b.js', code, { module: false, compress: { target: 'es2021' }, mangle: true })
  return minifiedFile.code
}

if (import.meta.main) {
  const code = await buildTracker()
  await writeFile(join(folder, 'b.js'), code)
  console.log(`tracker/b.js: ${gzipSync(code, { level: 9 }).length} bytes gzipped`)
}
