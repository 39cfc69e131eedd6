/** npm run pictures: those of the README, of pages about made-up websites. Always the same as long as the pages are. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openBrowser } from '../tests/support/browser.ts'
import { openStage } from './pictures/stage.ts'
import { type Picture, takePicture } from './pictures/take.ts'

const pictures: Picture[] = [
  { name: 'overview', path: '/', until: (page) => page.getByText('Checkout').first().waitFor() },
  {
    name: 'website',
    path: '/shop.example.com?period=30d&compare=previous',
    until: (page) => page.getByText('/pricing').first().waitFor(),
    height: 1160,
  },
  {
    name: 'monitor',
    path: '/monitors/1?window=30d',
    until: (page) => page.getByText('notifications sent').first().waitFor(),
    height: 1160,
  },
  { name: 'phone', path: '/', until: (page) => page.getByText('Checkout').first().waitFor(), phone: true },
]

const folder = join(import.meta.dirname, '..', 'docs', 'pictures')

const stage = await openStage()
try {
  console.log('Taking pictures.')
  await mkdir(folder, { recursive: true })
  const browser = await openBrowser()
  try {
    for (const picture of pictures) {
      await takePicture(browser, { ...stage, folder }, picture, (text) => console.log(`  ${text}`))
    }
  } finally {
    await browser.close()
  }
} finally {
  await stage.close()
}
