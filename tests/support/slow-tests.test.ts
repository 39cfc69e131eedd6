import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { slowTests } from './slow-tests.ts'

it('the list of slow tests names only files and folders that exist', () => {
  const cwd = resolve(import.meta.dirname, '../..')
  expect(slowTests.filter((pattern) => globSync(pattern, { cwd }).length === 0)).toEqual([])
})
