/** Finds blocks that can't be read, and deletes the blocks of such a day. */
import pg from 'pg'
import type { Database } from '../../storage/database.ts'
import { BLOCK_VERSION, blockColumns } from '../blocks/block-format.ts'
import { type BlockKey, buildBlockSelect, listPartNumbers } from '../blocks/block-store.ts'
import { decodeBlock } from '../blocks/decode-block.ts'
import { parseBlock } from '../blocks/parse-rows.ts'
import type { WebsiteDay } from '../blocks/row-store.ts'
import { deleteDayBlocks } from './damaged-blocks-store.ts'

type CopyRows = (select: string) => Promise<Uint8Array[]>

/** Decodes a whole block. Returns what is wrong with it. */
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
  const block = parseBlock([row], blockColumns)
  if (block.version > BLOCK_VERSION) throw new Error('A newer version of Belfry wrote blocks. Use that version')
  try {
    decodeBlock(block)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Whether PostgreSQL itself can't read its table. SQLSTATE class XX: internal errors, such as damaged pages. */
const isDamagedTable = (error: unknown) => error instanceof pg.DatabaseError && /^XX/.test(error.code ?? '')

/** Returns the first damaged block of a day. */
export async function findDamagedBlock(db: Database, day: WebsiteDay): Promise<BlockKey | undefined> {
  for (const part of await listPartNumbers(db, day)) {
    const key = { ...day, part }
    const damage = await findBlockDamage((select) => db.snapshot((q) => q.copyRows(select)), key)
    if (damage !== undefined) return key
  }
  return undefined
}

/** The totals and counts of the day stay. */
export async function deleteBlocksOf(db: Database, day: WebsiteDay): Promise<void> {
  await db.transaction((q) => deleteDayBlocks(q, day))
}
