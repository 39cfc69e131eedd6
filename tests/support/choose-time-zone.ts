import type { Page } from 'playwright-core'

/** Chooses the first time zone that matches the text, with the keyboard. */
export async function chooseTimeZone(page: Page, text: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Time zone' })
  await field.click()
  await field.fill(text)
  await field.press('Enter')
}
