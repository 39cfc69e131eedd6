/**
 * npm run build:app-icons: draws the icons of the installed app with Chromium, from the shapes of web/public/icon.svg. They are
 * committed, because building the pages must not need a browser.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launchBrowser } from '../tests/support/browser.ts'

const publicFolder = join(import.meta.dirname, '..', 'web', 'public')

/** `content` is the share of the width that the drawing takes. Systems cut off up to 20% of a maskable icon at its edges. */
const icons = [
  { name: 'app-icon-192.png', size: 192, radius: 0.22, content: 0.68 },
  { name: 'app-icon-512.png', size: 512, radius: 0.22, content: 0.68 },
  { name: 'app-icon-maskable-512.png', size: 512, radius: 0, content: 0.54 },
  { name: 'apple-touch-icon.png', size: 180, radius: 0, content: 0.64 },
]

/** On the colored background, the tower is white. */
function drawIcon(shapes: string, { radius, content }: (typeof icons)[number]): string {
  const inset = (1 - content) * 16
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="100%" height="100%">
    <defs><linearGradient id="g" x1="0" y1="0" x2="0" y2="1"><stop stop-color="#6d63f5"/><stop offset="1" stop-color="#4338ca"/></linearGradient></defs>
    <rect width="32" height="32" rx="${32 * radius}" fill="url(#g)"/>
    <g transform="translate(${inset} ${inset}) scale(${content})">${shapes}</g>
  </svg>`
}

const source = await readFile(join(publicFolder, 'icon.svg'), 'utf8')
const shapes = [...source.matchAll(/<path[^>]*>/g)].join('').replace('#4f46e5', '#ffffff').replace('#f59e0b', '#fbbf24')
const browser = await launchBrowser()
try {
  for (const icon of icons) {
    const { name, size } = icon
    const page = await browser.newPage({ viewport: { width: size, height: size } })
    await page.setContent(`<style>body { margin: 0 }</style>${drawIcon(shapes, icon)}`)
    await writeFile(join(publicFolder, name), await page.screenshot({ omitBackground: true }))
    await page.close()
    console.log(`Wrote web/public/${name}.`)
  }
} finally {
  await browser.close()
}
