/** Finds blocks that can't be read, and deletes the blocks of such a day. */
import pg from 'pg'
import type { Database } from '../../storage/database.ts'
import { BLOCK_VERSION, blockColumns } from '../blocks/block.ts'
import { type BlockKey, buildBlockSelect, listPartNumbers } from '../blocks/block-store.ts'
import { BlockError } from '../blocks/column-bytes.ts'
import { decodeBlock } from '../blocks/decode-block.ts'
import { parseBlock } from '../blocks/parse-rows.ts'
import type { WebsiteDay } from '../blocks/row-store.ts'
import { deleteDayBlocks } from './damaged-blocks-store.ts'

type CopyRows = (select: string) => Promise<Uint8Array[]>

/** Decodes a whole block. Returns what is wrong with it. Throws if that can't be found out. */
export async function findBlockDamage(copyRows: CopyRows, key: BlockKey): Promise<string | undefined> {
  let row: Uint8Array | undefined
  try {
    row = (await copyRows(buildBlockSelect(key)))[0]
  } catch (error) {
    if (!isDamagedTable(error)) throw error
    return (error as Error).message
  }
  // The block was deleted in the meantime.
  if (row === undefined) return undefined
  try {
    return findDamageInRow(row)
  } catch (error) {
    throw new Error(`${key.day} of website ${key.websiteId}: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * The decoder throws a BlockError for every damage. Any other error is a bug of ours, or too little memory. It doesn't mean that the
 * block is damaged, so nobody must delete the day because of it.
 */
function findDamageInRow(row: Uint8Array): string | undefined {
  const block = parseBlock([row], blockColumns)
  if (block.version > BLOCK_VERSION) throw new Error('A newer version of Belfry wrote blocks. Use that version')
  try {
    decodeBlock(block)
    return undefined
  } catch (error) {
    if (!(error instanceof BlockError)) throw error
    return error.message
  }
}

/** Whether PostgreSQL itself can't read its table. SQLSTATE class XX: internal errors, such as damaged pages. */
const isDamagedTable = (error: unknown) => error instanceof pg.DatabaseError && /^XX/.test(error.code ?? '')

export async function hasDamagedBlock(db: Database, day: WebsiteDay): Promise<boolean> {
  for (const part of await listPartNumbers(db, day)) {
    const key = { ...day, part }
    const damage = await findBlockDamage((select) => db.snapshot((q) => q.copyRows(select)), key)
    if (damage !== undefined) return true
  }
  return false
}

/** The totals and counts of the day stay, and so do visitors that late events have put back into rows. */
export async function deleteBlocksOf(db: Database, day: WebsiteDay): Promise<void> {
  await db.transaction((q) => deleteDayBlocks(q, day))
}
