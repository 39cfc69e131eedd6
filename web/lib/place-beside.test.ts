import { describe, expect, it } from 'vitest'
import { placeBeside } from './place-beside.ts'

const viewport = { width: 400, height: 300 }
const box = { width: 100, height: 40 }
const anchorAt = (left: number, top: number) => ({ left, top, width: 20, height: 10 })

describe('a floating box', () => {
  it('is centered above its element', () =>
    expect(placeBeside(anchorAt(200, 150), box, viewport)).toEqual({ left: 160, top: 102, isAbove: true }))

  it('moves below if there is no space above', () =>
    expect(placeBeside(anchorAt(200, 20), box, viewport)).toEqual({ left: 160, top: 38, isAbove: false }))

  it('stays above if there is no space on either side', () =>
    expect(placeBeside(anchorAt(200, 40), { width: 100, height: 280 }, viewport)).toMatchObject({
      top: 8,
      isAbove: true,
    }))

  it.each([
    ['left', anchorAt(0, 150), 8],
    ['right', anchorAt(390, 150), 292],
  ])('stays inside the window at the %s edge', (_edge, anchor, left) =>
    expect(placeBeside(anchor, box, viewport).left).toBe(left),
  )

  it('starts at the left margin if it is wider than the window', () =>
    expect(placeBeside(anchorAt(200, 150), { width: 500, height: 40 }, viewport).left).toBe(8))
})
