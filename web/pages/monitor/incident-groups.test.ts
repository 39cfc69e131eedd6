import { expect, it } from 'vitest'
import { groupsOf } from './incident-groups.ts'

const downTo = (newest: number) => Array.from({ length: newest }, (_, place) => ({ id: newest - place }))
const firstIds = (newest: number, seen: number | undefined) =>
  groupsOf(downTo(newest), seen).map((group) => [group[0]?.id, group.length])

it('incidents stay in their groups while new ones come', () => {
  expect(firstIds(50, 50)).toEqual([
    [50, 20],
    [30, 20],
    [10, 10],
  ])
  expect(firstIds(53, 50)).toEqual([
    [53, 23],
    [30, 20],
    [10, 10],
  ])
})

it('are grouped anew where the one that was the newest is gone', () => {
  expect(firstIds(25, 99)).toEqual([
    [25, 20],
    [5, 5],
  ])
  expect(firstIds(1, undefined)).toEqual([[1, 1]])
  expect(firstIds(0, undefined)).toEqual([])
})
