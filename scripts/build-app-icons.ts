/**
 * npm run build:app-icons: draws the icons of the installed app and the mark in emails with Chromium, from the shapes of
 * web/public/icon.svg. They are committed, because building the pages must not need a browser.
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

/** Emails show the mark with 28 pixels. Screens of phones have up to three pixels for each of these. */
const mailMark = { name: 'mark', size: 84, radius: 0.24, content: 0.7 }

/** On the colored background, the tower is white. */
function drawIcon(shapes: string, { radius, content }: typeof mailMark): string {
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

async function takePng(icon: typeof mailMark): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: icon.size, height: icon.size } })
  await page.setContent(`<style>body { margin: 0 }</style>${drawIcon(shapes, icon)}`)
  const png = await page.screenshot({ omitBackground: true })
  await page.close()
  return png
}

/** The mark is a constant in a module, so that the server doesn't have to find and read a file to send an email. */
const formatMarkModule = (
  png: Buffer,
) => `/** The bell tower at the top of emails, as a PNG. \`npm run build:app-icons\` writes this file. */
export const MARK_PNG_BASE64 =
  '${png.toString('base64')}'
`

try {
  for (const icon of icons) {
    await writeFile(join(publicFolder, icon.name), await takePng(icon))
    console.log(`Wrote web/public/${icon.name}.`)
  }
  await writeFile(join(import.meta.dirname, '../src/mail/mark-png.ts'), formatMarkModule(await takePng(mailMark)))
  console.log('Wrote src/mail/mark-png.ts.')
} finally {
  await browser.close()
}
