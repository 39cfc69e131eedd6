import { expect, it } from 'vitest'
import { groupIncidents } from './group-incidents.ts'

const createIncidents = (newestId: number) => Array.from({ length: newestId }, (_, index) => ({ id: newestId - index }))
const listFirstIdsAndSizes = (newestId: number, initialNewestId: number | undefined) =>
  groupIncidents(createIncidents(newestId), initialNewestId).map((group) => [group[0]?.id, group.length])

it('groupIncidents keeps incidents in their groups when new ones are added', () => {
  expect(listFirstIdsAndSizes(50, 50)).toEqual([
    [50, 20],
    [30, 20],
    [10, 10],
  ])
  expect(listFirstIdsAndSizes(53, 50)).toEqual([
    [53, 23],
    [30, 20],
    [10, 10],
  ])
})

it('groupIncidents forms groups of 20 from the newest incident if the initially newest incident no longer exists', () => {
  expect(listFirstIdsAndSizes(25, 99)).toEqual([
    [25, 20],
    [5, 5],
  ])
  expect(listFirstIdsAndSizes(1, undefined)).toEqual([[1, 1]])
  expect(listFirstIdsAndSizes(0, undefined)).toEqual([])
})
