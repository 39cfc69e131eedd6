/** Checks the accessibility of a page with axe: WCAG 2.2 AA and best practices. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
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
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(axeSource)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  expect(await findViolations(page, allRulesExpression), `${page.url()}, light`).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  expect(await findViolations(page, colourRulesExpression), `${page.url()}, dark`).toEqual([])
}

const allRulesExpression = JSON.stringify(tags)
const colourRulesExpression = `axe.getRules(${allRulesExpression}).filter(({ tags }) => tags.includes('cat.color')).map(({ ruleId }) => ruleId)`

/** `rules` is a JavaScript expression that the page evaluates to a list of tags or rule ids. */
async function findViolations(page: Page, rules: string): Promise<string[]> {
  // Without selectors and preloaded styles, a check takes less time. No rule that we use needs the styles.
  const options = `{ runOnly: ${rules}, resultTypes: ['violations'], selectors: false, preload: false }`
  const violations = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as Violation[]
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  )
}
