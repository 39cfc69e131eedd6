import { describe, expect, it } from 'vitest'
import { VersionedVarintReader, VersionedVarintWriter } from './varint.ts'

const bytesOf = (number: number) => {
  const writer = new VersionedVarintWriter(1)
  writer.write(number)
  return [...Buffer.from(writer.toString(), 'base64')].slice(3)
}

describe('a varint', () => {
  // Data of version 0 begins with a varint. If that varint began with these bytes, the reader would expect a version after them.
  it('never begins with the two bytes that announce a version', () => {
    const powers = Array.from({ length: 54 }, (_, bits) => 2 ** bits)
    const numbers = [
      ...powers.flatMap((power) => [power - 1, Math.min(power, Number.MAX_SAFE_INTEGER)]),
      ...Array.from({ length: 40_000 }, (_, number) => number),
    ]
    const looksLikeVersion = ([first, second]: number[]) => first === 0x80 && second === 0x00
    expect(numbers.filter((number) => looksLikeVersion(bytesOf(number)))).toEqual([])
  })

  it.each([-1, 1.5, Number.NaN, 2 ** 53])('cannot hold %d', (number) => {
    expect(() => new VersionedVarintWriter(1).write(number)).toThrow(`${number} cannot be packed.`)
  })

  it('is read correctly after the version', () => {
    const writer = new VersionedVarintWriter(200)
    for (const number of [0, 127, 128, Number.MAX_SAFE_INTEGER]) writer.write(number)
    const reader = new VersionedVarintReader(writer.toString(), 255)
    expect(reader.version).toBe(200)
    expect([reader.next(), reader.next(), reader.next(), reader.next()]).toEqual([0, 127, 128, Number.MAX_SAFE_INTEGER])
    expect(reader.isAtEnd).toBe(true)
  })
})
