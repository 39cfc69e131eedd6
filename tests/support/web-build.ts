/** A minimal build of the web application, with known file contents. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'

const createHtml = (
  script: string,
) => `<!doctype html><html lang="en"><head><!--base--><!--robots--><title><!--title--></title>
<!--boot--><script type="module" src="./assets/${script}"></script></head><body><div id="app"></div></body></html>`

export interface FakeWebBuild {
  folder: string
  script: string
  remove(): Promise<void>
}

/** Overwrites `folder` if given. Otherwise creates a temporary folder. */
export async function createFakeWebBuild(script = 'index-Ab12Cd34.js', folder?: string): Promise<FakeWebBuild> {
  const target = folder ?? join(await mkdtemp(join(tmpdir(), 'belfry-web-')), 'dist')
  const code = 'document.title += "!"\n'.repeat(200)
  await rm(target, { recursive: true, force: true })
  await mkdir(join(target, 'assets'), { recursive: true })
  const files: Record<string, string | Buffer> = {
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    [`assets/${script}`]: code,
    [`assets/${script}.br`]: brotliCompressSync(code),
    'assets/style-Ef56Gh78.css': 'body { margin: 0 }',
    'index.html': createHtml(script),
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(target, name), content)
  return { folder: target, script, remove: () => rm(join(target, '..'), { recursive: true, force: true }) }
}

/** Returns the JSON that the server embeds in every page. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert on arbitrary JSON
export function parseBootData(text: string): any {
  const json = /<script type="application\/json" id="boot">(.*?)<\/script>/s.exec(text)?.[1]
  if (json === undefined) throw new Error(`No boot data in:\n${text}`)
  return JSON.parse(json)
}

export const parseBaseHref = (text: string) => /<base href="([^"]*)">/.exec(text)?.[1]
