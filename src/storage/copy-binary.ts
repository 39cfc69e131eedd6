/** Reads rows in PostgreSQL's binary format, as `copyRows` returns them. Worker threads use this file, so it doesn't import pg. */
import { MS_PER_DAY } from '../lib/local-day.ts'

/** The length of a field that is null. */
const NULL_LENGTH = -1
const LENGTH_SIZE = 4

/** Days count from here. */
const EPOCH_MS = Date.parse('2000-01-01')
const FIRST_DAY = (Date.parse('0001-01-01') - EPOCH_MS) / MS_PER_DAY
const LAST_DAY = (Date.parse('9999-12-31') - EPOCH_MS) / MS_PER_DAY

/** Number of dimensions, whether there may be nulls, and the type of the elements, with 4 bytes each. */
const ARRAY_HEADER_SIZE = 12
const ELEMENT_TYPE_OFFSET = 8
/** Number of elements, and the index of the first one. */
const DIMENSION_SIZE = 8
const FIRST_ELEMENT_OFFSET = ARRAY_HEADER_SIZE + DIMENSION_SIZE

interface ElementType {
  name: string
  oid: number
  /** In bytes. */
  size: number
}

const INT2: ElementType = { name: 'int2', oid: 21, size: 2 }
const INT4: ElementType = { name: 'int4', oid: 23, size: 4 }
const INT8: ElementType = { name: 'int8', oid: 20, size: 8 }
const TIMESTAMPTZ: ElementType = { name: 'timestamptz', oid: 1184, size: 8 }

const TWO_TO_32 = 2 ** 32
/** A number of 8 bytes is certainly a safe integer if its upper half is smaller than this. */
const MIN_LARGE_HIGH = 2 ** 20

/** Returns views of the row's fields, which share its buffer. */
export function readFields(row: Uint8Array): (Uint8Array | null)[] {
  const view = viewOf(row)
  const fields: (Uint8Array | null)[] = new Array(view.getInt16(0))
  let offset = 2
  for (let index = 0; index < fields.length; index++) {
    const length = view.getInt32(offset)
    const start = offset + LENGTH_SIZE
    offset = start + Math.max(0, length)
    fields[index] = length === NULL_LENGTH ? null : row.subarray(start, offset)
  }
  if (offset !== row.length) throw new Error(`A row of ${row.length} bytes has fields of ${offset} bytes`)
  return fields
}

export function decodeInt4(field: Uint8Array): number {
  return viewOfSize(field, INT4.size).getInt32(0)
}

/** Returns a day such as `2026-01-05`. */
export function decodeDate(field: Uint8Array): string {
  const days = viewOfSize(field, 4).getInt32(0)
  if (days < FIRST_DAY || days > LAST_DAY) throw new RangeError('A date is infinite, or not in the years 1 to 9999')
  return new Date(EPOCH_MS + days * MS_PER_DAY).toISOString().slice(0, 10)
}

export function decodeInt2Array(field: Uint8Array): Int16Array {
  const view = viewOf(field)
  const count = countNumbers(view, INT2)
  const numbers = new Int16Array(count)
  for (let index = 0, offset = FIRST_ELEMENT_OFFSET + LENGTH_SIZE; index < count; index++, offset += 6)
    numbers[index] = view.getInt16(offset)
  return numbers
}

export function decodeInt4Array(field: Uint8Array): Int32Array {
  const view = viewOf(field)
  const count = countNumbers(view, INT4)
  const numbers = new Int32Array(count)
  for (let index = 0, offset = FIRST_ELEMENT_OFFSET + LENGTH_SIZE; index < count; index++, offset += 8)
    numbers[index] = view.getInt32(offset)
  return numbers
}

export const decodeInt8Array = (field: Uint8Array): Float64Array => decodeInt8Elements(field, INT8)

/** Returns times with time zone, in milliseconds since 1970. */
export function decodeTimeArray(field: Uint8Array): Float64Array {
  const times = decodeInt8Elements(field, TIMESTAMPTZ)
  for (let index = 0; index < times.length; index++)
    times[index] = Math.round((times[index] as number) / 1000) + EPOCH_MS
  return times
}

function decodeInt8Elements(field: Uint8Array, type: ElementType): Float64Array {
  const view = viewOf(field)
  const count = countNumbers(view, type)
  const numbers = new Float64Array(count)
  // Checking each number would take half as long again. So collect the bits of all, and check them only if one is large.
  let highBits = 0
  for (let index = 0, offset = FIRST_ELEMENT_OFFSET + LENGTH_SIZE; index < count; index++, offset += 12) {
    const high = view.getInt32(offset)
    // Inverts the bits of a negative number. A branch would also take half as long again.
    highBits |= high ^ (high >> 31)
    numbers[index] = high * TWO_TO_32 + view.getUint32(offset + 4)
  }
  if (highBits >= MIN_LARGE_HIGH)
    for (let offset = FIRST_ELEMENT_OFFSET + LENGTH_SIZE; offset < field.length; offset += 12) readInt8(view, offset)
  return numbers
}

export function decodeTextArray(field: Uint8Array): (string | null)[] {
  const view = viewOf(field)
  const buffer = toBuffer(field)
  const texts: (string | null)[] = new Array(countElements(view))
  let offset = FIRST_ELEMENT_OFFSET
  for (let index = 0; index < texts.length; index++) {
    const length = view.getInt32(offset)
    const start = offset + LENGTH_SIZE
    offset = start + Math.max(0, length)
    texts[index] = length === NULL_LENGTH ? null : buffer.toString('utf8', start, offset)
  }
  if (texts.length > 0 && offset !== field.length)
    throw new Error(`An array of ${field.length} bytes has elements until ${offset}`)
  return texts
}

/** Returns the number of elements without decoding them. */
export const countArrayElements = (field: Uint8Array): number => countElements(viewOf(field))

function countElements(view: DataView): number {
  const dimensionCount = view.getInt32(0)
  if (dimensionCount > 1) throw new Error(`An array has ${dimensionCount} dimensions`)
  return dimensionCount === 0 ? 0 : view.getInt32(ARRAY_HEADER_SIZE)
}

/** Throws unless all elements have the expected type and size. Then the distance between two elements is always the same. */
function countNumbers(view: DataView, { name, oid, size }: ElementType): number {
  const count = countElements(view)
  const elementOid = view.getUint32(ELEMENT_TYPE_OFFSET)
  if (elementOid !== oid) throw new Error(`An array has elements of type ${elementOid} instead of ${oid} (${name})`)
  // A null has a length but no value, so every null makes the array shorter. PostgreSQL's flag for nulls can be set
  // although there are none.
  if (count > 0 && view.byteLength !== FIRST_ELEMENT_OFFSET + count * (LENGTH_SIZE + size))
    throw new Error(`An array of ${name} contains nulls, or is truncated`)
  return count
}

function readInt8(view: DataView, offset: number): number {
  const value = view.getInt32(offset) * TWO_TO_32 + view.getUint32(offset + 4)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${view.getBigInt64(offset)} is not a safe integer`)
  return value
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function viewOfSize(field: Uint8Array, size: number): DataView {
  if (field.length !== size) throw new Error(`A field has ${field.length} bytes instead of ${size}`)
  return viewOf(field)
}

/** A TextDecoder takes longer for short texts, and leaves out a byte order mark. */
function toBuffer(field: Uint8Array): Buffer {
  return Buffer.from(field.buffer, field.byteOffset, field.byteLength)
}
