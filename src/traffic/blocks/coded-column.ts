/**
 * A column of value ids, such as the page of each hit. A dictionary holds the ids that occur in the column, most frequent first, and the
 * column holds positions in the dictionary. So frequent values have small codes, which compress well.
 */
import { BlockError, type Codes, type ColumnReader, ColumnWriter } from './column-bytes.ts'

export interface CodedColumn {
  /** The value id of each code. */
  dictionary: Int32Array
  codes: Codes
}

/** A column that is not stored yet. */
interface NewlyCoded extends CodedColumn {
  codes: Int32Array
}

/** Ids up to this limit are looked up in an array, which is ten times as fast as a Map. */
const MAX_TABLE_ID = 2 ** 22

/** Codes the ids in the order of their first occurrence. */
export function codeIds(ids: Int32Array): NewlyCoded {
  let maxId = 0
  for (let index = 0; index < ids.length; index++) if ((ids[index] as number) > maxId) maxId = ids[index] as number
  return maxId <= MAX_TABLE_ID ? codeByTable(ids, maxId) : codeByMap(ids)
}

function codeByTable(ids: Int32Array, maxId: number): NewlyCoded {
  const codesById = new Int32Array(maxId + 1)
  const dictionary: number[] = []
  const codes = new Int32Array(ids.length)
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] as number
    let code = (codesById[id] as number) - 1
    if (code === -1) {
      code = dictionary.push(id) - 1
      codesById[id] = code + 1
    }
    codes[index] = code
  }
  return { dictionary: Int32Array.from(dictionary), codes }
}

function codeByMap(ids: Int32Array): NewlyCoded {
  const codesById = new Map<number, number>()
  const codes = ids.map((id) => codesById.getOrInsertComputed(id, () => codesById.size))
  return { dictionary: Int32Array.from(codesById.keys()), codes }
}

/** Gives the most frequent ids the smallest codes. */
function sortByFrequency({ dictionary, codes }: NewlyCoded): NewlyCoded {
  const frequencies = new Int32Array(dictionary.length)
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] as number
    frequencies[code] = (frequencies[code] as number) + 1
  }
  const order = Int32Array.from(dictionary.keys()).sort(
    (one, other) =>
      (frequencies[other] as number) - (frequencies[one] as number) ||
      (dictionary[one] as number) - (dictionary[other] as number),
  )
  const newCodes = new Int32Array(dictionary.length)
  for (let code = 0; code < order.length; code++) newCodes[order[code] as number] = code
  return {
    dictionary: order.map((code) => dictionary[code] as number),
    codes: codes.map((code) => newCodes[code] as number),
  }
}

export function isAllZero(values: ArrayLike<number>): boolean {
  for (let index = 0; index < values.length; index++) if (values[index] !== 0) return false
  return true
}

/** Returns null if all ids are 0, which stands for an unknown value. */
export function encodeIds(ids: Int32Array): Uint8Array | null {
  if (isAllZero(ids)) return null
  const { dictionary, codes } = sortByFrequency(codeIds(ids))
  const writer = new ColumnWriter()
  writer.writeUint32(dictionary.length)
  writer.writeNumbers(dictionary)
  writer.writeCodes(codes)
  return writer.seal()
}

/** Doesn't check that the dictionary has all codes, because that would take as long as counting them. */
export function readCodedColumn(reader: ColumnReader, count: number): CodedColumn {
  const dictionaryLength = reader.readUint32()
  if (dictionaryLength > count) throw new BlockError('A dictionary is too long.')
  return { dictionary: reader.readInt32s(dictionaryLength), codes: reader.readCodes(count) }
}

/** The ids themselves, without codes. */
export function expandIds({ dictionary, codes }: CodedColumn): Int32Array {
  const ids = new Int32Array(codes.length)
  for (let index = 0; index < codes.length; index++) {
    const id = dictionary[codes[index] as number]
    if (id === undefined) throw new BlockError(UNKNOWN_CODE)
    ids[index] = id
  }
  return ids
}

export const UNKNOWN_CODE = 'A code is not in the dictionary.'
