import { afterAll, beforeAll, expect, it } from 'vitest'
import { drawBadge } from '../../src/status-pages/badges/draw-badge.ts'
import { openBrowser, type TestBrowser } from '../support/browser.ts'

/**
 * If the test machine has no font for a writing system, it draws boxes instead of the letters. The boxes have to fit,
 * too.
 */
const labels = {
  latin: 'Shop and payments (EU-1), 100%',
  narrow: 'illicit: fjord, jilt!',
  wide: 'WWW MMM @@@ www mmm',
  accents: 'Überwachung für Kraków, Đà Nẵng, Ĉu ŝi?',
  combining: 'e\u{301}a\u{308}o\u{328}',
  greek: 'Κατάσταση υπηρεσιών',
  cyrillic: 'Состояние магазина и Щи',
  arabic: 'حالة الموقع الإلكتروني',
  hebrew: 'מצב האתר שלנו',
  mixed: 'API של החנות 24/7',
  devanagari: 'वेबसाइट की स्थिति',
  thai: 'สถานะของเว็บไซต์',
  tamil: 'இணையதளத்தின் நிலை',
  chinese: '网站状态',
  japanese: 'サイトの状態、オンライン',
  korean: '상태 페이지',
  emoji: '🎉 ok 👨‍👩‍👧‍👦 🇩🇪',
  ligature: '﷽',
  override: '\u{202e}reversed\u{202c} text',
  long: 'W'.repeat(100),
}

/**
 * The largest share by which the browser may stretch or squeeze text whose letter widths Belfry knows. Verdana and
 * DejaVu Sans differ by about 3%.
 */
const MAX_DISTORTION = 0.08
const knownScripts: (keyof typeof labels)[] = ['latin', 'narrow', 'wide', 'greek', 'cyrillic', 'long']

interface Measurement {
  name: keyof typeof labels
  part: { left: number; right: number; bottom: number }
  text: { left: number; right: number; bottom: number }
  naturalWidth: number
  shownWidth: number
}

let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

it('the texts of badges fit into their parts in every writing system', async () => {
  const page = await browser.newPage()
  const badges = Object.entries(labels).map(
    ([name, label]) =>
      `<div data-name="${name}">${drawBadge({ label, value: 'operational', color: 'green', style: 'flat', theme: 'dark' })}</div>`,
  )
  await page.setContent(`<!doctype html><meta charset="utf-8">${badges.join('')}`)
  const measurements = (await page.evaluate(`[...document.querySelectorAll('[data-name]')].flatMap((badge) =>
    [...badge.querySelectorAll('text')].map((text) => {
      const box = (element) => {
        const { left, right, bottom } = element.getBoundingClientRect()
        return { left, right, bottom }
      }
      const measured = { part: box(text.previousElementSibling), text: box(text), shownWidth: text.getComputedTextLength() }
      text.removeAttribute('textLength')
      return { name: badge.dataset.name, ...measured, naturalWidth: text.getComputedTextLength() }
    }))`)) as Measurement[]
  expect(measurements).toHaveLength(badges.length * 2)
  for (const { name, part, text, naturalWidth, shownWidth } of measurements) {
    // At least half of the padding is free on both sides.
    expect({ name, isInside: text.left >= part.left + 3 && text.right <= part.right - 3 }).toEqual({
      name,
      isInside: true,
    })
    const distortion = Math.abs(shownWidth / naturalWidth - 1)
    if (knownScripts.includes(name))
      expect({ name, isKnown: distortion < MAX_DISTORTION }).toEqual({ name, isKnown: true })
  }
})
