/** Checks the accessibility of a page with axe: WCAG 2.2 AA and best practices. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const checkSource = readFileSync(join(import.meta.dirname, 'page-check.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/**
 * Checks the page in the light and in the dark theme. The themes differ only in colours, because the styles distinguish
 * them only with `light-dark()`, as `tests/web/dark-colours.test.ts` verifies. So the check of the dark theme needs
 * only the rules about colours.
 */
export async function expectNoViolations(page: Page): Promise<void> {
  // The page's Content-Security-Policy would block a script element with axe, so evaluate the source instead.
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(`${axeSource}\n${checkSource}\nundefined`)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  expect(await findViolations(page, { onlyColours: false }), `${page.url()}, light`).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  expect(await findViolations(page, { onlyColours: true }), `${page.url()}, dark`).toEqual([])
}

async function findViolations(page: Page, { onlyColours }: { onlyColours: boolean }): Promise<string[]> {
  const options = JSON.stringify({ rules: tags, onlyColours })
  const violations = (await page.evaluate(`findViolations(${options})`)) as Violation[]
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  )
}
