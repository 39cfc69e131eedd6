import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const rootFolder = join(import.meta.dirname, '..', '..')

/** Returns the variables of a style sheet that contain a color. */
async function readColors(path: string): Promise<Map<string, string>> {
  const css = await readFile(join(rootFolder, path), 'utf8')
  const variables = css.matchAll(/^\s*(--[\w-]+):\s*([^;]*#[^;]*);/gm)
  return new Map(variables.map(([, name = '', value = '']) => [name, value.replaceAll(/\s+/g, ' ')]))
}

it('status pages have the colors of the application', async () => {
  const applicationColors = await readColors('web/styles/tokens.css')
  const colors = [...(await readColors('status-page/styles/tokens.css'))]
  const sharedColors = colors.filter(([name]) => applicationColors.has(name))
  expect(sharedColors.length).toBeGreaterThan(20)
  for (const [name, value] of sharedColors) expect([name, value]).toEqual([name, applicationColors.get(name)])
})
