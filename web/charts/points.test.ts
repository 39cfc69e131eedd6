import { expect, it } from 'vitest'
import { findNextPoint, findPointAt, findPointRect } from './points.ts'

const rect = { left: 100, top: 10, width: 360, height: 24 }

it('the pointer selects the point at its position', () => {
  expect([99, 100, 103.9, 104, 459, 470].map((x) => findPointAt(rect, 90, x))).toEqual([0, 0, 0, 1, 89, 89])
  expect(findPointRect(rect, 90, 89)).toEqual({ left: 456, top: 10, width: 4, height: 24 })
})

it('arrow keys move from point to point, beginning with the last point', () => {
  expect(findNextPoint('ArrowLeft', undefined, 90)).toBe(89)
  expect(findNextPoint('ArrowLeft', 89, 90)).toBe(88)
  expect(findNextPoint('ArrowLeft', 0, 90)).toBe(0)
  expect(findNextPoint('ArrowRight', 89, 90)).toBe(89)
  expect(findNextPoint('Enter', 89, 90)).toBe(undefined)
})
