import { expect, it } from 'vitest'
import { createPageSnapshot } from '../../../tests/support/status-page-snapshots.ts'
import { PageCopy } from './page-copy.ts'
import { createPlainRendering, type FormatVariant } from './rendering.ts'

it('a page copy renders one format at a time, and shares a rendering with all requests that wait for it', async () => {
  const copy = new PageCopy(createPageSnapshot(), undefined)
  const sizes: number[] = []
  copy.onRendered = () => void sizes.push(copy.size)
  const startedFormats: string[] = []
  const finishCallbacks: (() => void)[] = []
  const render = (format: 'html' | 'json') => {
    const variant: FormatVariant = { format, pathPrefix: '', serverUrl: undefined, ageMinutes: undefined }
    return copy.render(format, variant, async () => {
      startedFormats.push(format)
      await new Promise<void>((resolve) => finishCallbacks.push(resolve))
      return createPlainRendering('x'.repeat(1_000), {})
    })
  }
  const emptySize = copy.size
  const renderings = [render('html'), render('json'), render('html'), render('json')]
  await expect.poll(() => finishCallbacks.length).toBe(1)
  expect(startedFormats).toEqual(['html'])
  finishCallbacks[0]?.()
  await expect.poll(() => finishCallbacks.length).toBe(2)
  finishCallbacks[1]?.()
  expect(new Set(await Promise.all(renderings)).size).toBe(2)
  expect(startedFormats).toEqual(['html', 'json'])
  expect(sizes).toEqual([emptySize + 1_000, emptySize + 2_000])
  expect(copy.listUsedVariants()).toEqual([])
  copy.findRendering('json')
  expect(copy.listUsedVariants().map(({ format }) => format)).toEqual(['json'])
})
