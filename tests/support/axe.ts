/** Looks for what keeps people from using a page: WCAG 2.2 AA and good practice. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/** As it is shown now, and in the other colours. */
export async function expectNoViolations(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await violationsOf(page), `${page.url()}, ${colorScheme}`).toEqual([])
  }
}

async function violationsOf(page: Page): Promise<string[]> {
  // Not as a script of the page: its policy allows none but our own.
  await page.evaluate(source)
  const found = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  )) as Violation[]
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  )
}
