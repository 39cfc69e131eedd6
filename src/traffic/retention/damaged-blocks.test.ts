import { expect, it } from 'vitest'
import { writeBlockRow } from '../../../tests/support/copy-rows.ts'
import { createRandomRows, toPart } from '../../../tests/support/random-part.ts'
import type { Block } from '../blocks/block.ts'
import { encodeBlock } from '../blocks/encode-block.ts'
import { findBlockDamage } from './damaged-blocks.ts'

const key = { websiteId: 7, day: '2026-01-05', part: 0 }
const block = encodeBlock(toPart(createRandomRows(71, { visitorCount: 5 })))
const findDamage = (row: Uint8Array | undefined) => findBlockDamage(async () => (row === undefined ? [] : [row]), key)
const findDamageIn = (changed: Partial<Block>) => findDamage(writeBlockRow(key.day, { ...block, ...changed }))

it('a block that can be decoded is not damaged, and neither is one that was just deleted', async () => {
  expect(await findDamageIn({})).toBeUndefined()
  expect(await findDamage(undefined)).toBeUndefined()
})

it('says what is wrong with a damaged block', async () => {
  expect(await findDamageIn({ columns: { ...block.columns, hit_counts: new Uint8Array(20) } })).toBe(
    'The checksum of a column is wrong.',
  )
  expect(await findDamageIn({ visits: 2 ** 31 - 1 })).toMatch(/^The block has a size of /)
})

it('does not take other errors for damage, and names the day', async () => {
  const notCopied = new Uint8Array([0, 9, 1])
  await expect(findDamage(notCopied)).rejects.toThrow(/^2026-01-05 of website 7: /)
  await expect(findDamageIn({ version: 200 })).rejects.toThrow(
    '2026-01-05 of website 7: A newer version of Belfry wrote blocks.',
  )
})
