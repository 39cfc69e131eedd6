/** The accessibility check finds violations, although it keeps axe from checking most texts. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { expectNoViolations } from '../support/expect-no-violations.ts'

const style = `
  :root { color-scheme: light dark; background: light-dark(#fff, #111); color: light-dark(#222, #eee) }
  .card { background: light-dark(#f4f4f4, #222) }
  .row { position: relative }
  .bar { position: absolute; inset: 0; background: light-dark(#e4e4f4, #334) }
  .row span { position: relative }`
const text = 'Visitors of the last 30 days'

let browser: TestBrowser
let page: Page

beforeAll(async () => {
  browser = await openBrowser()
  page = await browser.newPage()
  await page.setContent(
    `<!doctype html><html lang="en"><title>Page</title><style>${style}</style><main><h1>Page</h1><div id="content"></div></main>`,
  )
})
afterAll(() => browser.close())

const show = (content: string) =>
  page.evaluate(`document.querySelector('#content').innerHTML = ${JSON.stringify(content)}`)

const expectViolation = (theme: string, rule: string) =>
  expect(expectNoViolations(page)).rejects.toMatchObject({
    message: expect.stringContaining(`, ${theme}: `),
    actual: expect.arrayContaining([expect.stringMatching(new RegExp(`^${rule}: `))]),
  })

it.each([
  ['a text on a card', `<p class="card">${text}</p>`],
  ['a text in front of a bar', `<p class="row"><i class="bar"></i><span>${text}</span></p>`],
  ['a text in a scrolled list', `<ul style="height: 20px; overflow: auto" tabindex="0"><li>1<li>2<li>${text}</ul>`],
])('the check accepts %s', async (_name, content) => {
  await show(content)
  await expectNoViolations(page)
})

it.each([
  ['light', 'a text', `<p style="color: light-dark(#999, #fff)">${text}</p>`],
  ['dark', 'a text', `<p style="color: light-dark(#000, #555)">${text}</p>`],
  ['dark', 'a text on a card', `<p class="card" style="background: light-dark(#fff, #999)">${text}</p>`],
  ['dark', 'a transparent text', `<p style="opacity: 0.6; color: light-dark(#000, #888)">${text}</p>`],
  [
    'dark',
    'a text in front of a bar',
    `<p class="row"><i class="bar" style="background: light-dark(#fff, #aaa)"></i><span>${text}</span></p>`,
  ],
  [
    'dark',
    'a text in a scrolled list',
    `<ul style="height: 20px; overflow: auto" tabindex="0"><li>1<li>2<li style="color: light-dark(#000, #555)">${text}</ul>`,
  ],
  [
    'dark',
    'a text outside the box of its parent',
    `<div class="card" style="position: relative; height: 20px; background: light-dark(#fff, #000)">
       <p style="position: absolute; top: 40px; color: light-dark(#000, #777)">${text}</p></div>
     <div class="row" style="height: 90px; background: light-dark(#fff, #444); z-index: -1"></div>`,
  ],
])('the check rejects, in the %s theme, the contrast of %s', async (theme, _name, content) => {
  await show(content)
  await expectViolation(theme, 'color-contrast')
})

it.each([
  ['light', 'label', '<input>'],
  [
    'light',
    'target-size',
    '<button style="all: unset; width: 9px">a</button><button style="all: unset; width: 9px">b</button>',
  ],
  [
    'dark',
    'link-in-text-block',
    `<p style="color: light-dark(#000, #eee)">${text}, and the
       <a href="#" style="color: light-dark(#b91c1c, #ddd); text-decoration: none">days before</a> that period</p>`,
  ],
])('the check rejects, in the %s theme, a violation of %s', async (theme, rule, content) => {
  await show(content)
  await expectViolation(theme, rule)
})

it('the check leaves a long list of options as it is', async () => {
  const options = Array.from({ length: 30 }, (_value, index) => `<option>${index}</option>`)
  await show(`<select aria-label="Number">${options.join('')}</select>`)
  await page.getByLabel('Number').selectOption('17')
  const readSelect = () =>
    page.evaluate(`(() => {
      const select = document.querySelector('select')
      return { value: select.value, texts: Array.from(select.childNodes, (option) => option.textContent) }
    })()`)
  const before = await readSelect()
  expect(before).toEqual({ value: '17', texts: Array.from(options.keys(), String) })
  await expectNoViolations(page)
  expect(await readSelect()).toEqual(before)
})

it('the check rejects a long list of options without a label', async () => {
  await show(`<select>${'<option>1</option>'.repeat(30)}</select>`)
  await expectViolation('light', 'select-name')
})

it('the check rejects a drawing whose role needs a name, although it skips the shapes', async () => {
  await show('<svg role="img"><path d="M0 0h9v9z" /><circle r="4" role="img" /></svg>')
  await expectViolation('light', 'svg-img-alt')
})
