/** Finds parts of a monitor's page in a browser. */
import type { Page } from 'playwright-core'

/** Finds the section with this heading. */
export const panel = (page: Page, name: string | RegExp) =>
  page.locator('section', { has: page.getByRole('heading', { level: 2, name }) })
