import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { slowTests } from './slow-tests.ts'
import { systemTests } from './system-tests.ts'

it('the lists of slow tests and system tests name only files and folders that exist', () => {
  const cwd = resolve(import.meta.dirname, '../..')
  const patterns = [...slowTests, ...systemTests]
  expect(patterns.filter((pattern) => globSync(pattern, { cwd }).length === 0)).toEqual([])
})
