/** A folder as a build of the web application leaves it, small enough to know every byte of. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const html = (
  script: string,
) => `<!doctype html><html lang="en"><head><!--base--><!--robots--><title><!--title--></title>
<!--boot--><script type="module" src="./assets/${script}"></script></head><body><div id="app"></div></body></html>`

export interface BuiltWeb {
  folder: string
  script: string
  remove(): Promise<void>
}

/** `folder`: writes over what is there. */
export async function makeBuiltWeb(script = 'index-Ab12Cd34.js', folder?: string): Promise<BuiltWeb> {
  const target = folder ?? join(await mkdtemp(join(tmpdir(), 'belfry-web-')), 'dist')
  const code = 'document.title += "!"\n'.repeat(200)
  await rm(target, { recursive: true, force: true })
  await mkdir(join(target, 'assets'), { recursive: true })
  const files: Record<string, string | Buffer> = {
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    [`assets/${script}`]: code,
    [`assets/${script}.br`]: brotliCompressSync(code),
    [`assets/${script}.gz`]: gzipSync(code),
    'assets/style-Ef56Gh78.css': 'body { margin: 0 }',
    'index.html': html(script),
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(target, name), content)
  return { folder: target, script, remove: () => rm(join(target, '..'), { recursive: true, force: true }) }
}

/** What a page starts with. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at it as it comes
export function bootOf(text: string): any {
  const found = /<script type="application\/json" id="boot">(.*?)<\/script>/s.exec(text)?.[1]
  if (found === undefined) throw new Error(`there is no boot in:\n${text}`)
  return JSON.parse(found)
}

export const baseOf = (text: string) => /<base href="([^"]*)">/.exec(text)?.[1]
